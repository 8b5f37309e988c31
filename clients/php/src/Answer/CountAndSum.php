<?php

declare(strict_types=1);

namespace PesaPost\Answer;

/** Totals of a batch's payouts that have one status. */
final readonly class CountAndSum
{
    use FromMembers;

    /** @param array<string, mixed> $members all members by their names, also those that have no property (SDK-12) */
    public function __construct(
        public int $count = 0,
        public int|string $amount_minor = 0,
        public array $members = [],
    ) {
    }
}
