<?php

declare(strict_types=1);

namespace PesaPost\Answer;

/** The pay bill and the account, for a customer who pays without a push. */
final readonly class PayTo
{
    use FromMembers;

    /** @param array<string, mixed> $members all members by their names, also those that have no property (SDK-12) */
    public function __construct(
        public string $pay_bill = '',
        public string $account = '',
        public array $members = [],
    ) {
    }
}
