package com.pesapost;

import java.util.Map;

/**
 * A batch, with totals of its payouts by status.
 *
 * @param reference the merchant's own reference of the batch
 * @param status the status of the whole batch; once it is pending, each payout has a status of its own
 * @param count the number of payouts
 * @param amountMinor the sum that the customers receive
 * @param currency the currency
 * @param accountNo the account that pays
 * @param channel the rail
 * @param byStatus totals of the payouts by their status
 * @param ledgerPosition the position that the answer reflects; null if unknown
 * @param members every member by its name in JSON, also those without a component (SDK-12)
 */
public record PayoutBatchSummary(
        String reference,
        String status,
        long count,
        Amount amountMinor,
        String currency,
        String accountNo,
        String channel,
        Map<String, CountAndSum> byStatus,
        String ledgerPosition,
        Map<String, Object> members) {
    /**
     * Totals of a batch's payouts that have one status.
     *
     * @param count the number of payouts
     * @param amountMinor their sum
     */
    public record CountAndSum(long count, Amount amountMinor) {
        private static CountAndSum of(Members read) {
            return new CountAndSum(read.integer("count"), read.amount("amount_minor"));
        }
    }

    static PayoutBatchSummary of(Answer answer) {
        Members read = answer.members();
        return new PayoutBatchSummary(
                read.text("reference"),
                read.text("status"),
                read.integer("count"),
                read.amount("amount_minor"),
                read.text("currency"),
                read.text("account_no"),
                read.text("channel"),
                read.map("by_status", CountAndSum::of),
                answer.ledgerPosition(),
                read.all());
    }
}
