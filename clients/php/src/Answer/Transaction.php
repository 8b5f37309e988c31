<?php

declare(strict_types=1);

namespace PesaPost\Answer;

/** A collection, a payout or a refund. A member that does not apply is null. */
final readonly class Transaction
{
    use FromMembers;

    /**
     * @param string $created_at RFC 3339, UTC; so are the other times
     * @param array<string, mixed> $members all members by their names, also those that have no property (SDK-12)
     */
    public function __construct(
        public string $type = '',
        public string $reference = '',
        public string $status = '',
        public int|string $amount_minor = 0,
        public string $currency = '',
        public int|string $fee_minor = 0,
        public string $id = '',
        public string $account_no = '',
        public string $channel = '',
        public ?string $rail_reference = null,
        public ?string $receipt = null,
        public ?string $failure_code = null,
        public bool $under_review = false,
        public string $created_at = '',
        public ?string $completed_at = null,
        public ?string $paid_at = null,
        public bool $paid_at_known = false,
        public ?string $batch = null,
        public bool $waiting_for_float = false,
        public bool $paused = false,
        public ?string $origin = null,
        public ?string $refund_status = null,
        public int|string|null $refunded_minor = null,
        public ?string $refund_of = null,
        public int|string|null $requested_minor = null,
        public array $members = [],
    ) {
    }
}
