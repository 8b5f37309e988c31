<?php

declare(strict_types=1);

namespace PesaPost\Answer;

/** The answer to a request for a batch. */
final readonly class RequestedPayoutBatch
{
    use FromMembers;

    /**
     * @param bool $existing true if the reference existed: the answer is that batch, and nothing was done (SDK-5)
     * @param bool $replayed true if the same Idempotency-Key had been answered before
     * @param string|null $ledgerPosition pass it as minPosition to read your own writes
     * @param array<string, mixed> $members all members by their names, also those that have no property (SDK-12)
     */
    public function __construct(
        public string $status = '',
        public string $reference = '',
        public int $count = 0,
        public int|string $amount_minor = 0,
        public string $currency = '',
        public bool $existing = false,
        public bool $replayed = false,
        public ?string $ledgerPosition = null,
        public array $members = [],
    ) {
    }
}
