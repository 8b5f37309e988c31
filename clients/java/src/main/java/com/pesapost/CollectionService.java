package com.pesapost;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** Money from customers' phones. */
public final class CollectionService {
    private static final String PATH = "/api/v4/collections";
    private static final Duration DEFAULT_WAIT = Duration.ofSeconds(120);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(500);
    private static final Duration MAX_PAUSE = Duration.ofSeconds(5);

    private final Connection connection;

    CollectionService(Connection connection) {
        this.connection = connection;
    }

    /**
     * Sends a push to the customer's phone. Money moves only when the customer confirms.
     *
     * <p>If the reference exists, the call returns its current state and pushes nothing.
     *
     * @param collection the collection
     * @param options an idempotency key
     * @return the collection, which is pending
     * @throws DifferentItemException if the reference exists for another amount, phone or account
     * @throws PesaPostException if the call failed, such as rail_rejected if the rail refused the push
     */
    public CreatedItem create(NewCollection collection, PostOption... options) {
        return connection.send(ApiCall.post(PATH, collection.body(), options), CreatedItem::of);
    }

    /**
     * Expects a payment without a push.
     *
     * @param payment the payment
     * @param options an idempotency key
     * @return the payment, with the numbers to show to the customer
     * @throws DifferentItemException if the reference exists for another payment
     * @throws PesaPostException if the call failed
     */
    public ExpectedPayment expect(NewExpectedPayment payment, PostOption... options) {
        return connection.send(
                ApiCall.post("/api/v4/expected-payments", payment.body(), options), ExpectedPayment::of);
    }

    /**
     * Gives a completed collection back, as a whole or in part.
     *
     * <p>The refund is a payout: another holder approves it with {@link PayoutService#approve}, under the refund's own
     * reference.
     *
     * @param collection the reference of the collection
     * @param refund the refund
     * @param options an idempotency key
     * @return the refund, which is pending_approval
     * @throws DifferentItemException if the refund's reference exists for another one
     * @throws PesaPostException if the call failed, such as not_refundable
     */
    public CreatedItem refund(String collection, NewRefund refund, PostOption... options) {
        return connection.send(
                ApiCall.post(pathOf(collection) + "/refund", refund.body(), options), CreatedItem::of);
    }

    /**
     * Returns the current state, never behind.
     *
     * @param reference the reference
     * @return the collection
     * @throws PesaPostException if the call failed, such as not_found
     */
    public Transaction get(String reference) {
        return connection.send(ApiCall.get(pathOf(reference)), Transaction::of);
    }

    /**
     * Returns a receipt that anyone can check without trusting PesaPost.
     *
     * <p>Each day is sealed a few minutes after its end. Before that, a posting has no proof.
     *
     * @param reference the reference
     * @return the receipt
     * @throws PesaPostException if the call failed, such as not_found
     */
    public Receipt receipt(String reference) {
        return connection.send(ApiCall.get(pathOf(reference) + "/receipt"), Receipt::of);
    }

    /**
     * Polls until the collection is completed or failed (SDK-16), for 120 s at most.
     *
     * @param reference the reference
     * @return the collection
     * @throws NotSettledException if time is up
     * @throws PesaPostException if the call failed
     */
    public Transaction waitUntilSettled(String reference) {
        return waitUntilSettled(reference, DEFAULT_WAIT);
    }

    /**
     * Polls until the collection is completed or failed (SDK-16).
     *
     * <p>A failed one can still become completed, so keep listening to webhooks.
     *
     * @param reference the reference
     * @param within the longest time
     * @return the collection
     * @throws NotSettledException if time is up
     * @throws PesaPostException if the call failed
     */
    public Transaction waitUntilSettled(String reference, Duration within) {
        Deadline deadline = Deadline.after(within);
        ApiCall call = ApiCall.get(pathOf(reference)).before(deadline);
        Transaction last = null;
        Duration wait = FIRST_PAUSE;
        int asked = 0;
        while (!deadline.isOver()) {
            asked++;
            try {
                last = connection.send(call, Transaction::of);
                if ("completed".equals(last.status()) || "failed".equals(last.status())) {
                    return last;
                }
            } catch (PesaPostException failure) {
                if (!failure.failure().isRetryable()) {
                    throw failure;
                }
            }
            // Many callers may wait at the same time, and they should not all ask at once.
            double share = 1 - ThreadLocalRandom.current().nextDouble() / 4;
            Connection.pause(deadline.atMost(Duration.ofMillis((long) (wait.toMillis() * share))), call.facts(asked));
            Duration longer = wait.multipliedBy(3).dividedBy(2);
            wait = longer.compareTo(MAX_PAUSE) > 0 ? MAX_PAUSE : longer;
        }
        throw new NotSettledException(call.facts(asked), within, last);
    }

    private static String pathOf(String reference) {
        return PATH + "/" + Query.encode(reference);
    }
}
