package com.pesapost;

/** Money to customers' phones. One holder asks, and another approves. */
public final class PayoutService {
    static final String PATH = "/api/v4/payouts";

    private final Connection connection;

    PayoutService(Connection connection) {
        this.connection = connection;
    }

    /**
     * Asks for a payout. Its amount and fee are reserved, and it waits for another holder.
     *
     * @param payout the payout; its account pays
     * @param options an idempotency key
     * @return the payout, which is pending_approval
     * @throws DifferentItemException if the reference exists for another amount, phone or account
     * @throws PesaPostException if the call failed, such as insufficient_funds
     */
    public CreatedItem request(NewCollection payout, PostOption... options) {
        return connection.send(ApiCall.post(PATH, payout.body(), options), CreatedItem::of);
    }

    /**
     * Approves a payout that another holder asked for. It is then sent once.
     *
     * @param reference the reference
     * @param options an idempotency key
     * @return the payout
     * @throws PesaPostException if the call failed, such as same_holder
     */
    public DecidedPayout approve(String reference, PostOption... options) {
        return approve(reference, PayoutRepeat.NONE, options);
    }

    /**
     * Approves a payout that another holder asked for, if it has these values. It is then sent once.
     *
     * @param reference the reference
     * @param repeat the values
     * @param options an idempotency key
     * @return the payout
     * @throws PesaPostException if the call failed, such as same_holder
     */
    public DecidedPayout approve(String reference, PayoutRepeat repeat, PostOption... options) {
        return decide(reference, "approve", repeat, options);
    }

    /**
     * Rejects a payout that another holder asked for. It is never sent.
     *
     * @param reference the reference
     * @param options an idempotency key
     * @return the payout
     * @throws PesaPostException if the call failed
     */
    public DecidedPayout reject(String reference, PostOption... options) {
        return reject(reference, PayoutRepeat.NONE, options);
    }

    /**
     * Rejects a payout that another holder asked for, if it has these values. It is never sent.
     *
     * @param reference the reference
     * @param repeat the values
     * @param options an idempotency key
     * @return the payout
     * @throws PesaPostException if the call failed
     */
    public DecidedPayout reject(String reference, PayoutRepeat repeat, PostOption... options) {
        return decide(reference, "reject", repeat, options);
    }

    /**
     * Stops a payout that was not given to the rail. The holder who asked for it may do this too.
     *
     * @param reference the reference
     * @param options an idempotency key
     * @return the payout
     * @throws PesaPostException if the call failed, such as not_cancellable
     */
    public DecidedPayout cancel(String reference, PostOption... options) {
        return decide(reference, "cancel", PayoutRepeat.NONE, options);
    }

    /**
     * Returns the current state, never behind.
     *
     * @param reference the reference
     * @return the payout
     * @throws PesaPostException if the call failed, such as not_found
     */
    public Transaction get(String reference) {
        return connection.send(ApiCall.get(PATH + "/" + Query.encode(reference)), Transaction::of);
    }

    private DecidedPayout decide(String reference, String verb, PayoutRepeat repeat, PostOption... options) {
        String path = PATH + "/" + Query.encode(reference) + "/" + verb;
        return connection.send(ApiCall.post(path, repeat.body(), options), DecidedPayout::of);
    }
}
