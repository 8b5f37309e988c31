package com.pesapost;

import java.util.List;
import java.util.Map;

/**
 * A page of the list of transactions, newest first.
 *
 * @param data the items
 * @param nextCursor the cursor of the next page; null if there are no more pages
 * @param ledgerPosition the position that the answer reflects; null if unknown
 * @param members every member by its name in JSON, also those without a component (SDK-12)
 */
public record TransactionsPage(
        List<Transaction> data, String nextCursor, String ledgerPosition, Map<String, Object> members) {
    static TransactionsPage of(Answer answer) {
        Members read = answer.members();
        return new TransactionsPage(
                read.list("data", Transaction::of), read.text("next_cursor"), answer.ledgerPosition(), read.all());
    }
}
