<?php

declare(strict_types=1);

namespace PesaPost\Resource;

use PesaPost\Answer\Balance;
use PesaPost\Internal\ApiCall;
use PesaPost\Internal\Connection;
use PesaPost\Internal\Signing;
use PesaPost\Internal\Success;
use PesaPost\PesaPostException;

/** The accounts that receive the money. */
final readonly class Accounts
{
    /** @internal */
    public function __construct(private Connection $connection)
    {
    }

    /**
     * Returns the balance, at least as new as $minPosition, or as it was at $atPosition.
     *
     * @throws PesaPostException such as not_found if it is not your account
     */
    public function balance(string $accountNo, ?string $minPosition = null, ?string $atPosition = null): Balance
    {
        $path = '/api/v4/accounts/' . Signing::encodePart($accountNo) . '/balance';
        return $this->connection->send(
            ApiCall::get($path, [], $minPosition, $atPosition),
            static fn (Success $answer): Balance => Balance::of($answer->members, $answer->position()),
        );
    }
}
