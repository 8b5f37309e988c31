<?php

declare(strict_types=1);

namespace PesaPost;

use PesaPost\Answer\Transaction;
use PesaPost\Internal\Failure;

/** waitUntilSettled() ran out of time (SDK-16). The collection may still settle. */
final class NotSettledException extends PesaPostException
{
    /**
     * @internal
     *
     * @param Transaction|null $last the last known state; null if no answer came
     */
    public function __construct(Failure $failure, string $call, int $attempts, public readonly ?Transaction $last)
    {
        parent::__construct($failure, $call, $attempts);
    }
}
