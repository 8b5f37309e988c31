package com.pesapost;

import java.util.List;
import java.util.Map;

/**
 * A page of the feed, in the order of the sequence.
 *
 * @param data the events; empty if there is nothing newer
 * @param nextAfterSequence the sequence to continue after
 * @param ledgerPosition the position that the answer reflects; null if unknown
 * @param members every member by its name in JSON, also those without a component (SDK-12)
 */
public record EventsPage(
        List<Event> data, long nextAfterSequence, String ledgerPosition, Map<String, Object> members) {
    static EventsPage of(Answer answer) {
        Members read = answer.members();
        return new EventsPage(
                read.list("data", Event::of),
                read.integer("next_after_sequence"),
                answer.ledgerPosition(),
                read.all());
    }
}
