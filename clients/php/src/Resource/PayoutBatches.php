<?php

declare(strict_types=1);

namespace PesaPost\Resource;

use PesaPost\Answer\CountAndSum;
use PesaPost\Answer\DecidedPayoutBatch;
use PesaPost\Answer\PayoutBatchSummary;
use PesaPost\Answer\RequestedPayoutBatch;
use PesaPost\DifferentItemException;
use PesaPost\Internal\ApiCall;
use PesaPost\Internal\Connection;
use PesaPost\Internal\Signing;
use PesaPost\Internal\Success;
use PesaPost\PesaPostException;

/** Many payouts as one batch: one holder asks for it, another approves all of it. */
final readonly class PayoutBatches
{
    private const PATH = '/api/v4/payout-batches';

    /** @internal */
    public function __construct(private Connection $connection)
    {
    }

    /**
     * Asks for up to 1,000 payouts: all are reserved, or none.
     *
     * @param array{reference: string, account_no: string, currency: string, channel: string,
     *     items: list<array{reference: string, phone: string, amount_minor: int|string}>} $batch
     *
     * @throws DifferentItemException if the reference exists for other payouts
     * @throws PesaPostException whose $detail names a bad item by its index
     */
    public function create(array $batch, ?string $idempotencyKey = null): RequestedPayoutBatch
    {
        return $this->connection->send(
            ApiCall::post(self::PATH, $batch, $idempotencyKey),
            static fn (Success $answer): RequestedPayoutBatch => RequestedPayoutBatch::of(
                $answer->members,
                $answer->creation(),
            ),
        );
    }

    /**
     * Approves all payouts of a batch that another holder asked for. Each is then sent once.
     *
     * @param array{count?: int, amount_minor?: int|string} $repeat values that must be the batch's
     *
     * @throws PesaPostException such as same_holder
     */
    public function approve(string $reference, array $repeat = [], ?string $idempotencyKey = null): DecidedPayoutBatch
    {
        return $this->decide($reference, 'approve', $repeat, $idempotencyKey);
    }

    /**
     * Rejects all payouts of a batch. None is ever sent.
     *
     * @param array{count?: int, amount_minor?: int|string} $repeat values that must be the batch's
     *
     * @throws PesaPostException
     */
    public function reject(string $reference, array $repeat = [], ?string $idempotencyKey = null): DecidedPayoutBatch
    {
        return $this->decide($reference, 'reject', $repeat, $idempotencyKey);
    }

    /**
     * Stops the payouts of a batch that were not given to the rail.
     *
     * @throws PesaPostException
     */
    public function cancel(string $reference, ?string $idempotencyKey = null): DecidedPayoutBatch
    {
        return $this->decide($reference, 'cancel', [], $idempotencyKey);
    }

    /**
     * Returns the batch, with its payouts' counts and sums by status.
     *
     * @throws PesaPostException such as not_found
     */
    public function get(string $reference, ?string $minPosition = null): PayoutBatchSummary
    {
        return $this->connection->send(
            ApiCall::get(self::path($reference), [], $minPosition),
            static fn (Success $answer): PayoutBatchSummary => PayoutBatchSummary::of($answer->members, [
                'by_status' => array_map(CountAndSum::of(...), $answer->members['by_status'] ?? []),
            ] + $answer->position()),
        );
    }

    /** @param array<string, mixed> $repeat */
    private function decide(string $reference, string $decision, array $repeat, ?string $key): DecidedPayoutBatch
    {
        return $this->connection->send(
            ApiCall::post(self::path($reference) . "/$decision", $repeat, $key),
            static fn (Success $answer): DecidedPayoutBatch => DecidedPayoutBatch::of(
                $answer->members,
                $answer->decision(),
            ),
        );
    }

    private static function path(string $reference): string
    {
        return self::PATH . '/' . Signing::encodePart($reference);
    }
}
