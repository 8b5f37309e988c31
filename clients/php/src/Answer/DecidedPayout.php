<?php

declare(strict_types=1);

namespace PesaPost\Answer;

/** The answer to a decision about a payout. */
final readonly class DecidedPayout
{
    use FromMembers;

    /**
     * @param bool $replayed true if the same Idempotency-Key had been answered before
     * @param string|null $ledgerPosition pass it as minPosition to read your own writes
     * @param array<string, mixed> $members all members by their names, also those that have no property (SDK-12)
     */
    public function __construct(
        public string $status = '',
        public string $reference = '',
        public int|string $amount_minor = 0,
        public string $currency = '',
        public ?string $rail_reference = null,
        public bool $replayed = false,
        public ?string $ledgerPosition = null,
        public array $members = [],
    ) {
    }
}
