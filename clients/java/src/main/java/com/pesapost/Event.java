package com.pesapost;

import java.time.Instant;
import java.util.Map;

/**
 * The body of a webhook, and an item of the feed.
 *
 * @param id the same on every delivery of this event; store it, and handle the event once
 * @param type such as collection.completed; a newer service may have others
 * @param createdAt the time of the event
 * @param mode live or demo
 * @param sequence 1, 2, 3 and so on for each merchant and mode, without gaps
 * @param data the item as of the event
 * @param members every member by its name in JSON, also those without a component (SDK-12)
 */
public record Event(
        String id,
        String type,
        Instant createdAt,
        String mode,
        long sequence,
        Transaction data,
        Map<String, Object> members) {
    static Event of(Members read) {
        return new Event(
                read.text("id"),
                read.text("type"),
                read.time("created_at"),
                read.text("mode"),
                read.integer("sequence"),
                read.object("data", Transaction::of),
                read.all());
    }
}
