package com.pesapost;

/** Many payouts as one batch: one holder asks for it, and another approves all of it. */
public final class PayoutBatchService {
    static final String PATH = "/api/v4/payout-batches";

    private final Connection connection;

    PayoutBatchService(Connection connection) {
        this.connection = connection;
    }

    /**
     * Asks for up to 1,000 payouts: all are reserved, or none.
     *
     * @param batch the payouts
     * @param options an idempotency key
     * @return the batch, which is pending_approval
     * @throws DifferentItemException if the reference exists for other payouts
     * @throws PesaPostException if the call failed; its detail names a bad item by its index
     */
    public RequestedPayoutBatch create(NewPayoutBatch batch, PostOption... options) {
        return connection.send(ApiCall.post(PATH, batch.body(), options), RequestedPayoutBatch::of);
    }

    /**
     * Approves all payouts of a batch that another holder asked for. Each is then sent once.
     *
     * @param reference the reference of the batch
     * @param options an idempotency key
     * @return the batch
     * @throws PesaPostException if the call failed, such as same_holder
     */
    public DecidedPayoutBatch approve(String reference, PostOption... options) {
        return approve(reference, PayoutBatchRepeat.NONE, options);
    }

    /**
     * Approves all payouts of a batch that another holder asked for, if it has these values. Each is then sent once.
     *
     * @param reference the reference of the batch
     * @param repeat the values
     * @param options an idempotency key
     * @return the batch
     * @throws PesaPostException if the call failed, such as same_holder
     */
    public DecidedPayoutBatch approve(String reference, PayoutBatchRepeat repeat, PostOption... options) {
        return decide(reference, "approve", repeat, options);
    }

    /**
     * Rejects all payouts of a batch. None is ever sent.
     *
     * @param reference the reference of the batch
     * @param options an idempotency key
     * @return the batch
     * @throws PesaPostException if the call failed
     */
    public DecidedPayoutBatch reject(String reference, PostOption... options) {
        return reject(reference, PayoutBatchRepeat.NONE, options);
    }

    /**
     * Rejects all payouts of a batch, if it has these values. None is ever sent.
     *
     * @param reference the reference of the batch
     * @param repeat the values
     * @param options an idempotency key
     * @return the batch
     * @throws PesaPostException if the call failed
     */
    public DecidedPayoutBatch reject(String reference, PayoutBatchRepeat repeat, PostOption... options) {
        return decide(reference, "reject", repeat, options);
    }

    /**
     * Stops the payouts of a batch that were not given to the rail.
     *
     * @param reference the reference of the batch
     * @param options an idempotency key
     * @return the batch
     * @throws PesaPostException if the call failed, such as not_cancellable
     */
    public DecidedPayoutBatch cancel(String reference, PostOption... options) {
        return decide(reference, "cancel", PayoutBatchRepeat.NONE, options);
    }

    /**
     * Returns the batch, with its payouts' counts and sums by status.
     *
     * @param reference the reference of the batch
     * @param options a position
     * @return the batch
     * @throws PesaPostException if the call failed, such as not_found
     */
    public PayoutBatchSummary get(String reference, ReadOption... options) {
        return connection.send(
                ApiCall.get(PATH + "/" + Query.encode(reference), options), PayoutBatchSummary::of);
    }

    private DecidedPayoutBatch decide(String reference, String verb, PayoutBatchRepeat repeat, PostOption... options) {
        String path = PATH + "/" + Query.encode(reference) + "/" + verb;
        return connection.send(ApiCall.post(path, repeat.body(), options), DecidedPayoutBatch::of);
    }
}
