package com.pesapost;

import java.util.Map;

/**
 * The answer to a decision about a batch.
 *
 * @param status the status after the decision
 * @param reference the merchant's own reference of the batch
 * @param count the number of payouts
 * @param amountMinor the sum that the customers receive
 * @param currency the currency
 * @param replayed true if the same Idempotency-Key had been answered before
 * @param ledgerPosition the position for {@link ReadOption#minPosition}, to read this write; null if unknown
 * @param members every member by its name in JSON, also those without a component (SDK-12)
 */
public record DecidedPayoutBatch(
        String status,
        String reference,
        long count,
        Amount amountMinor,
        String currency,
        boolean replayed,
        String ledgerPosition,
        Map<String, Object> members) {
    static DecidedPayoutBatch of(Answer answer) {
        Members read = answer.members();
        return new DecidedPayoutBatch(
                read.text("status"),
                read.text("reference"),
                read.integer("count"),
                read.amount("amount_minor"),
                read.text("currency"),
                answer.replayed(),
                answer.ledgerPosition(),
                read.all());
    }
}
