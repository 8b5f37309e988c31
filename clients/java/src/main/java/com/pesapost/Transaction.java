package com.pesapost;

import java.time.Instant;
import java.util.Map;

/**
 * A collection, a payout or a refund. A component that does not apply is null or false.
 *
 * @param type collection or payout
 * @param reference the merchant's own reference
 * @param status pending_approval, pending, completed, failed or rejected; a newer service may have others
 * @param amountMinor the amount
 * @param currency the currency
 * @param feeMinor the fee
 * @param id the service's own id
 * @param accountNo the merchant's account
 * @param channel the rail
 * @param railReference the rail's own reference
 * @param receipt the rail's receipt, as the customer sees it
 * @param failureCode the reason why it failed, such as cancelled
 * @param underReview true while a person reviews it
 * @param createdAt the time of the request
 * @param completedAt the time of the posting
 * @param paidAt the rail's own time of payment
 * @param paidAtKnown false if the rail has not reported that time
 * @param batch the reference of the batch of a payout
 * @param waitingForFloat true if the rail's own account does not cover a payout yet
 * @param paused true if a payout is approved, and an operator of the service has paused payouts
 * @param origin c2b if the customer paid without a push
 * @param refundStatus pending, partial or refunded, for a collection with a refund
 * @param refundedMinor the sum that the customer got back; null if there is none
 * @param refundOf the reference of the collection, for a payout that is a refund
 * @param requestedMinor the requested amount, if the posted one differs
 * @param members every member by its name in JSON, also those without a component (SDK-12)
 */
public record Transaction(
        String type,
        String reference,
        String status,
        Amount amountMinor,
        String currency,
        Amount feeMinor,
        String id,
        String accountNo,
        String channel,
        String railReference,
        String receipt,
        String failureCode,
        boolean underReview,
        Instant createdAt,
        Instant completedAt,
        Instant paidAt,
        boolean paidAtKnown,
        String batch,
        boolean waitingForFloat,
        boolean paused,
        String origin,
        String refundStatus,
        Amount refundedMinor,
        String refundOf,
        Amount requestedMinor,
        Map<String, Object> members) {
    static Transaction of(Answer answer) {
        return of(answer.members());
    }

    static Transaction of(Members read) {
        return new Transaction(
                read.text("type"),
                read.text("reference"),
                read.text("status"),
                read.amount("amount_minor"),
                read.text("currency"),
                read.amount("fee_minor"),
                read.text("id"),
                read.text("account_no"),
                read.text("channel"),
                read.text("rail_reference"),
                read.text("receipt"),
                read.text("failure_code"),
                read.flag("under_review"),
                read.time("created_at"),
                read.time("completed_at"),
                read.time("paid_at"),
                read.flag("paid_at_known"),
                read.text("batch"),
                read.flag("waiting_for_float"),
                read.flag("paused"),
                read.text("origin"),
                read.text("refund_status"),
                read.amount("refunded_minor"),
                read.text("refund_of"),
                read.amount("requested_minor"),
                read.all());
    }
}
