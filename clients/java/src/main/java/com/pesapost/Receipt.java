package com.pesapost;

import java.util.Map;

/**
 * A collection, its postings, and the proof that they are history.
 *
 * @param item the collection
 * @param text the answer, character for character; store it unchanged, because anyone can check it
 * @param ledgerPosition the position that the answer reflects; null if unknown
 * @param members every member by its name in JSON, also those without a component (SDK-12)
 */
public record Receipt(Transaction item, String text, String ledgerPosition, Map<String, Object> members) {
    static Receipt of(Answer answer) {
        Members read = answer.members();
        return new Receipt(
                read.object("item", Transaction::of), answer.text(), answer.ledgerPosition(), read.all());
    }
}
