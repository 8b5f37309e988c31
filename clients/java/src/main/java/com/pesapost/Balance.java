package com.pesapost;

import java.util.Map;

/**
 * An account's balance as of one position of the ledger.
 *
 * @param accountNo the account
 * @param currency its currency
 * @param postedMinor the balance
 * @param reservedMinor the part that waits for payouts
 * @param availableMinor the part that can be paid out
 * @param ledgerPosition the position; null if unknown
 * @param members every member by its name in JSON, also those without a component (SDK-12)
 */
public record Balance(
        String accountNo,
        String currency,
        Amount postedMinor,
        Amount reservedMinor,
        Amount availableMinor,
        String ledgerPosition,
        Map<String, Object> members) {
    static Balance of(Answer answer) {
        Members read = answer.members();
        return new Balance(
                read.text("account_no"),
                read.text("currency"),
                read.amount("posted_minor"),
                read.amount("reserved_minor"),
                read.amount("available_minor"),
                answer.ledgerPosition(),
                read.all());
    }
}
