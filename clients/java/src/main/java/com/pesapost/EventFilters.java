package com.pesapost;

/**
 * A part of the feed of events.
 *
 * @param afterSequence the sequence of the last event that was handled; 0 for the whole feed
 * @param limit the number of events on a page, 1 to 100; null for 25
 */
public record EventFilters(long afterSequence, Integer limit) {
    /**
     * Names the events after a sequence.
     *
     * @param sequence the sequence of the last event that was handled; 0 for the whole feed
     * @return the part of the feed
     */
    public static EventFilters after(long sequence) {
        return new EventFilters(sequence, null);
    }

    /**
     * Sets the number of events on a page.
     *
     * @param limit 1 to 100
     * @return the part of the feed
     */
    public EventFilters withLimit(int limit) {
        return new EventFilters(afterSequence, limit);
    }
}
