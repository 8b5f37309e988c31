package com.pesapost;

import java.util.Map;

/**
 * The answer to a decision about a payout.
 *
 * @param status the status after the decision
 * @param reference the merchant's own reference
 * @param amountMinor the amount
 * @param currency the currency
 * @param railReference the rail's own reference; null before the rail has answered
 * @param replayed true if the same Idempotency-Key had been answered before
 * @param ledgerPosition the position for {@link ReadOption#minPosition}, to read this write; null if unknown
 * @param members every member by its name in JSON, also those without a component (SDK-12)
 */
public record DecidedPayout(
        String status,
        String reference,
        Amount amountMinor,
        String currency,
        String railReference,
        boolean replayed,
        String ledgerPosition,
        Map<String, Object> members) {
    static DecidedPayout of(Answer answer) {
        Members read = answer.members();
        return new DecidedPayout(
                read.text("status"),
                read.text("reference"),
                read.amount("amount_minor"),
                read.text("currency"),
                read.text("rail_reference"),
                answer.replayed(),
                answer.ledgerPosition(),
                read.all());
    }
}
