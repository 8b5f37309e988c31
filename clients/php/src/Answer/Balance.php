<?php

declare(strict_types=1);

namespace PesaPost\Answer;

/** An account's balance as of one position. */
final readonly class Balance
{
    use FromMembers;

    /**
     * @param string|null $ledgerPosition the position that the figures reflect
     * @param array<string, mixed> $members all members by their names, also those that have no property (SDK-12)
     */
    public function __construct(
        public string $account_no = '',
        public string $currency = '',
        public int|string $posted_minor = 0,
        public int|string $reserved_minor = 0,
        public int|string $available_minor = 0,
        public ?string $ledgerPosition = null,
        public array $members = [],
    ) {
    }
}
