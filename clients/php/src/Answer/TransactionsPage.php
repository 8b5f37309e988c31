<?php

declare(strict_types=1);

namespace PesaPost\Answer;

/** A page of the list, newest first. */
final readonly class TransactionsPage
{
    use FromMembers;

    /**
     * @param list<Transaction> $data
     * @param string|null $next_cursor null if there are no more pages
     * @param string|null $ledgerPosition pass it as minPosition to read your own writes
     * @param array<string, mixed> $members all members by their names, also those that have no property (SDK-12)
     */
    public function __construct(
        public array $data = [],
        public ?string $next_cursor = null,
        public ?string $ledgerPosition = null,
        public array $members = [],
    ) {
    }
}
