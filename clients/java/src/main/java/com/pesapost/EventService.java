package com.pesapost;

import java.util.ArrayList;
import java.util.List;

/** The webhooks' events, stored: the same bodies in their order, even if a delivery was lost. */
public final class EventService {
    private static final String PATH = "/api/v4/events";

    private final Connection connection;

    EventService(Connection connection) {
        this.connection = connection;
    }

    /**
     * Returns one page of the events after a sequence.
     *
     * @param filters the part of the feed
     * @param options a position
     * @return the page
     * @throws PesaPostException if the call failed
     */
    public EventsPage list(EventFilters filters, ReadOption... options) {
        List<Query.Parameter> query = new ArrayList<>();
        query.add(new Query.Parameter("after_sequence", Long.toString(filters.afterSequence())));
        if (filters.limit() != null) {
            query.add(new Query.Parameter("limit", filters.limit().toString()));
        }
        return connection.send(ApiCall.get(PATH, query, options), EventsPage::of);
    }

    /**
     * Walks every event up to the newest, in order (SDK-15). If an event is missing between two, the walk fails with
     * unexpected_answer, because a skipped event would never be noticed again.
     *
     * @param filters the part of the feed
     * @param options a position
     * @return the events
     */
    public Listing<Event> all(EventFilters filters, ReadOption... options) {
        return new Listing<>(() -> new Walk(filters, options));
    }

    /** Fetches page after page. */
    private final class Walk implements Listing.Source<Event> {
        private final ReadOption[] options;
        private EventFilters filters;

        Walk(EventFilters filters, ReadOption... options) {
            this.filters = filters;
            this.options = options;
        }

        @Override
        public Listing.Step<Event> next() {
            List<Event> events = list(filters, options).data();
            long last = filters.afterSequence();
            for (Event event : events) {
                if (event.sequence() != last + 1) {
                    int before = (int) (last - filters.afterSequence());
                    return new Listing.Step<>(events.subList(0, before), Failure.notAPage(PATH));
                }
                last = event.sequence();
            }
            filters = new EventFilters(last, filters.limit());
            return events.isEmpty() ? null : new Listing.Step<>(events, null);
        }
    }
}
