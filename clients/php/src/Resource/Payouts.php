<?php

declare(strict_types=1);

namespace PesaPost\Resource;

use PesaPost\Answer\CreatedItem;
use PesaPost\Answer\DecidedPayout;
use PesaPost\Answer\Transaction;
use PesaPost\DifferentItemException;
use PesaPost\Internal\ApiCall;
use PesaPost\Internal\Connection;
use PesaPost\Internal\Signing;
use PesaPost\Internal\Success;
use PesaPost\PesaPostException;

/** Money to customers' phones. One holder asks, and another approves. */
final readonly class Payouts
{
    private const PATH = '/api/v4/payouts';

    /** @internal */
    public function __construct(private Connection $connection)
    {
    }

    /**
     * Asks for a payout. Its amount and fee are reserved, and it waits for another holder.
     *
     * @param array{account_no: string, phone: string, amount_minor: int|string, currency: string, channel: string,
     *     reference: string} $payout
     *
     * @throws DifferentItemException if the reference exists for another amount, phone or account
     * @throws PesaPostException such as insufficient_funds
     */
    public function request(array $payout, ?string $idempotencyKey = null): CreatedItem
    {
        return $this->connection->send(
            ApiCall::post(self::PATH, $payout, $idempotencyKey),
            static fn (Success $answer): CreatedItem => CreatedItem::of($answer->members, $answer->creation()),
        );
    }

    /**
     * Approves a payout that another holder asked for. It is then sent once.
     *
     * @param array{phone?: string, amount_minor?: int|string} $repeat values that must be the payout's
     *
     * @throws PesaPostException such as same_holder
     */
    public function approve(string $reference, array $repeat = [], ?string $idempotencyKey = null): DecidedPayout
    {
        return $this->decide($reference, 'approve', $repeat, $idempotencyKey);
    }

    /**
     * Rejects a payout that another holder asked for. It is never sent.
     *
     * @param array{phone?: string, amount_minor?: int|string} $repeat values that must be the payout's
     *
     * @throws PesaPostException
     */
    public function reject(string $reference, array $repeat = [], ?string $idempotencyKey = null): DecidedPayout
    {
        return $this->decide($reference, 'reject', $repeat, $idempotencyKey);
    }

    /**
     * Stops a payout that was not given to the rail. The holder who asked for it may do this too.
     *
     * @throws PesaPostException such as not_cancellable
     */
    public function cancel(string $reference, ?string $idempotencyKey = null): DecidedPayout
    {
        return $this->decide($reference, 'cancel', [], $idempotencyKey);
    }

    /**
     * Returns the current state, never behind.
     *
     * @throws PesaPostException such as not_found
     */
    public function get(string $reference): Transaction
    {
        return $this->connection->send(
            ApiCall::get(self::path($reference)),
            static fn (Success $answer): Transaction => Transaction::of($answer->members),
        );
    }

    /** @param array<string, mixed> $repeat */
    private function decide(string $reference, string $decision, array $repeat, ?string $key): DecidedPayout
    {
        return $this->connection->send(
            ApiCall::post(self::path($reference) . "/$decision", $repeat, $key),
            static fn (Success $answer): DecidedPayout => DecidedPayout::of($answer->members, $answer->decision()),
        );
    }

    private static function path(string $reference): string
    {
        return self::PATH . '/' . Signing::encodePart($reference);
    }
}
