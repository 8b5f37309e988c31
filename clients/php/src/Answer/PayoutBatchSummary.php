<?php

declare(strict_types=1);

namespace PesaPost\Answer;

/** A batch, with totals of its payouts by status. */
final readonly class PayoutBatchSummary
{
    use FromMembers;

    /**
     * @param array<string, CountAndSum> $by_status
     * @param string|null $ledgerPosition pass it as minPosition to read your own writes
     * @param array<string, mixed> $members all members by their names, also those that have no property (SDK-12)
     */
    public function __construct(
        public string $reference = '',
        public string $status = '',
        public int $count = 0,
        public int|string $amount_minor = 0,
        public string $currency = '',
        public string $account_no = '',
        public string $channel = '',
        public array $by_status = [],
        public ?string $ledgerPosition = null,
        public array $members = [],
    ) {
    }
}
