<?php

declare(strict_types=1);

namespace PesaPost\Resource;

use InvalidArgumentException;
use PesaPost\Answer\CreatedItem;
use PesaPost\Answer\ExpectedPayment;
use PesaPost\Answer\PayTo;
use PesaPost\Answer\Receipt;
use PesaPost\Answer\Transaction;
use PesaPost\DifferentItemException;
use PesaPost\ErrorKind;
use PesaPost\Internal\ApiCall;
use PesaPost\Internal\Connection;
use PesaPost\Internal\Failure;
use PesaPost\Internal\Settings;
use PesaPost\Internal\Signing;
use PesaPost\Internal\Success;
use PesaPost\NotSettledException;
use PesaPost\PesaPostException;

/** Money from customers' phones. */
final readonly class Collections
{
    private const FIRST_PAUSE = 0.5;
    private const MAX_PAUSE = 5.0;

    /** @internal */
    public function __construct(private Connection $connection)
    {
    }

    /**
     * Sends a push to the customer's phone. Money moves only when the customer confirms.
     *
     * If the reference exists, the call returns its current state and pushes nothing.
     *
     * @param array{account_no: string, phone: string, amount_minor: int|string, currency: string, channel: string,
     *     reference: string} $collection
     *
     * @throws DifferentItemException if the reference exists for another amount, phone or account
     * @throws PesaPostException such as rail_rejected if the rail refused the push
     * @throws InvalidArgumentException if the amount or the key cannot be sent
     */
    public function create(array $collection, ?string $idempotencyKey = null): CreatedItem
    {
        return $this->connection->send(
            ApiCall::post('/api/v4/collections', $collection, $idempotencyKey),
            static fn (Success $answer): CreatedItem => CreatedItem::of($answer->members, $answer->creation()),
        );
    }

    /**
     * Expects a payment without a push: show the customer $pay_to of the answer.
     *
     * @param array{account_no: string, amount_minor: int|string, currency: string, channel: string,
     *     reference: string} $payment
     *
     * @throws DifferentItemException if the reference exists for another payment
     * @throws PesaPostException
     */
    public function expect(array $payment, ?string $idempotencyKey = null): ExpectedPayment
    {
        return $this->connection->send(
            ApiCall::post('/api/v4/expected-payments', $payment, $idempotencyKey),
            static fn (Success $answer): ExpectedPayment => ExpectedPayment::of($answer->members, [
                'pay_to' => PayTo::of($answer->members['pay_to'] ?? []),
            ] + $answer->creation()),
        );
    }

    /**
     * Gives a completed collection back, as a whole or in part.
     *
     * The refund is a payout: another holder approves it with Payouts::approve(), under the refund's own reference.
     *
     * @param array{reference: string, amount_minor?: int|string, phone?: string} $refund without an amount, everything
     *     that is left is given back
     *
     * @throws PesaPostException such as not_refundable
     */
    public function refund(string $collection, array $refund, ?string $idempotencyKey = null): CreatedItem
    {
        return $this->connection->send(
            ApiCall::post(self::path($collection) . '/refund', $refund, $idempotencyKey),
            static fn (Success $answer): CreatedItem => CreatedItem::of($answer->members, $answer->creation()),
        );
    }

    /**
     * Returns the current state, never behind.
     *
     * @throws PesaPostException such as not_found
     */
    public function get(string $reference): Transaction
    {
        return $this->read($reference, INF);
    }

    /**
     * Returns a receipt that anyone can check without trusting PesaPost.
     *
     * Each day is sealed a few minutes after its end; before that, a posting's proof is null.
     *
     * @throws PesaPostException
     */
    public function receipt(string $reference): Receipt
    {
        return $this->connection->send(
            ApiCall::get(self::path($reference) . '/receipt'),
            static fn (Success $answer): Receipt => Receipt::of($answer->members, [
                'item' => Transaction::of($answer->members['item'] ?? []),
                'text' => $answer->text(),
            ]),
        );
    }

    /**
     * Polls until the collection is completed or failed (SDK-16).
     *
     * A failed one can still become completed, so keep listening to webhooks.
     *
     * @throws NotSettledException after so many seconds
     * @throws PesaPostException
     */
    public function waitUntilSettled(string $reference, float $timeout = 120.0): Transaction
    {
        $until = Connection::time() + Settings::positiveSeconds('timeout', $timeout);
        $last = null;
        $pause = self::FIRST_PAUSE;
        for ($asked = 0; Connection::time() < $until; $asked++) {
            try {
                $last = $this->read($reference, $until);
                if (in_array($last->status, ['completed', 'failed'], true)) {
                    return $last;
                }
            } catch (PesaPostException $error) {
                if (!Failure::isRetryable($error)) {
                    throw $error;
                }
            }
            // Many callers may wait at the same time, and they should not all ask at once.
            $jittered = $pause * (1 - random_int(0, 1 << 30) / (1 << 32));
            Connection::sleep(min($jittered, $until - Connection::time()));
            $pause = min(self::MAX_PAUSE, $pause * 1.5);
        }
        $sentence = ($last === null ? 'unknown status' : $last->status) . " after $timeout s";
        $failure = new Failure('not_settled', ErrorKind::NotSettled, sentence: $sentence);
        throw new NotSettledException($failure, 'GET ' . self::path($reference), $asked, $last);
    }

    private function read(string $reference, float $until): Transaction
    {
        return $this->connection->send(
            ApiCall::get(self::path($reference), until: $until),
            static fn (Success $answer): Transaction => Transaction::of($answer->members),
        );
    }

    private static function path(string $reference): string
    {
        return '/api/v4/collections/' . Signing::encodePart($reference);
    }
}
