package com.pesapost;

import java.util.Map;

/**
 * The answer to a call that creates a collection, a payout or a refund.
 *
 * @param status pending or pending_approval if it is new; the current status if the reference existed
 * @param reference the merchant's own reference
 * @param amountMinor the amount
 * @param currency the currency
 * @param railReference the rail's own reference; null before the rail has answered
 * @param existing true if the reference existed: the answer is that item, and nothing was done (SDK-5)
 * @param replayed true if the same Idempotency-Key had been answered before
 * @param ledgerPosition the position for {@link ReadOption#minPosition}, to read this write; null if unknown
 * @param members every member by its name in JSON, also those without a component (SDK-12)
 */
public record CreatedItem(
        String status,
        String reference,
        Amount amountMinor,
        String currency,
        String railReference,
        boolean existing,
        boolean replayed,
        String ledgerPosition,
        Map<String, Object> members) {
    static CreatedItem of(Answer answer) {
        Members read = answer.members();
        return new CreatedItem(
                read.text("status"),
                read.text("reference"),
                read.amount("amount_minor"),
                read.text("currency"),
                read.text("rail_reference"),
                answer.existing(),
                answer.replayed(),
                answer.ledgerPosition(),
                read.all());
    }
}
