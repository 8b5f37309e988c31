package com.pesapost;

import java.util.Map;

/**
 * The answer to a request for a batch.
 *
 * @param status pending_approval if it is new; the current status if the reference existed
 * @param reference the merchant's own reference of the batch
 * @param count the number of payouts
 * @param amountMinor the sum that the customers receive
 * @param currency the currency
 * @param existing true if the reference existed: the answer is that batch, and nothing was done (SDK-5)
 * @param replayed true if the same Idempotency-Key had been answered before
 * @param ledgerPosition the position for {@link ReadOption#minPosition}, to read this write; null if unknown
 * @param members every member by its name in JSON, also those without a component (SDK-12)
 */
public record RequestedPayoutBatch(
        String status,
        String reference,
        long count,
        Amount amountMinor,
        String currency,
        boolean existing,
        boolean replayed,
        String ledgerPosition,
        Map<String, Object> members) {
    static RequestedPayoutBatch of(Answer answer) {
        Members read = answer.members();
        return new RequestedPayoutBatch(
                read.text("status"),
                read.text("reference"),
                read.integer("count"),
                read.amount("amount_minor"),
                read.text("currency"),
                answer.existing(),
                answer.replayed(),
                answer.ledgerPosition(),
                read.all());
    }
}
