<?php

declare(strict_types=1);

namespace PesaPost\Answer;

/** The answer to Collections::expect(). */
final readonly class ExpectedPayment
{
    use FromMembers;

    /**
     * @param PayTo $pay_to the values to show to the customer
     * @param bool $existing true if the reference existed: the answer is that item, and nothing was done (SDK-5)
     * @param bool $replayed true if the same Idempotency-Key had been answered before
     * @param string|null $ledgerPosition pass it as minPosition to read your own writes
     * @param array<string, mixed> $members all members by their names, also those that have no property (SDK-12)
     */
    public function __construct(
        public string $status = '',
        public string $reference = '',
        public int|string $amount_minor = 0,
        public string $currency = '',
        public PayTo $pay_to = new PayTo(),
        public bool $existing = false,
        public bool $replayed = false,
        public ?string $ledgerPosition = null,
        public array $members = [],
    ) {
    }
}
