package com.pesapost;

import java.util.Map;

/**
 * The answer to {@link CollectionService#expect}.
 *
 * @param status pending if it is new; the current status if the reference existed
 * @param reference the merchant's own reference
 * @param amountMinor the amount
 * @param currency the currency
 * @param payTo the numbers to show to the customer
 * @param existing true if the reference existed: the answer is that payment, and nothing was done (SDK-5)
 * @param replayed true if the same Idempotency-Key had been answered before
 * @param ledgerPosition the position for {@link ReadOption#minPosition}, to read this write; null if unknown
 * @param members every member by its name in JSON, also those without a component (SDK-12)
 */
public record ExpectedPayment(
        String status,
        String reference,
        Amount amountMinor,
        String currency,
        PayTo payTo,
        boolean existing,
        boolean replayed,
        String ledgerPosition,
        Map<String, Object> members) {
    /**
     * The numbers that the customer types.
     *
     * @param payBill the number that the customer pays
     * @param account the account: the merchant's number, a space and the reference
     */
    public record PayTo(String payBill, String account) {
        private static PayTo of(Members read) {
            return new PayTo(read.text("pay_bill"), read.text("account"));
        }
    }

    static ExpectedPayment of(Answer answer) {
        Members read = answer.members();
        return new ExpectedPayment(
                read.text("status"),
                read.text("reference"),
                read.amount("amount_minor"),
                read.text("currency"),
                read.object("pay_to", PayTo::of),
                answer.existing(),
                answer.replayed(),
                answer.ledgerPosition(),
                read.all());
    }
}
