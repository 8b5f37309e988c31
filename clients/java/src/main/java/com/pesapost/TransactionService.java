package com.pesapost;

import java.util.List;

/** The list of collections and payouts, newest first. */
public final class TransactionService {
    private static final String PATH = "/api/v4/transactions";

    private final Connection connection;

    TransactionService(Connection connection) {
        this.connection = connection;
    }

    /**
     * Returns one page.
     *
     * @param filters the filters
     * @param options a position
     * @return the page
     * @throws PesaPostException if the call failed
     */
    public TransactionsPage list(TransactionFilters filters, ReadOption... options) {
        return connection.send(ApiCall.get(PATH, filters.parameters(), options), TransactionsPage::of);
    }

    /**
     * Walks page after page (SDK-14). To continue on another day, store the last page's {@code nextCursor}.
     *
     * @param filters the filters
     * @param options a position
     * @return the pages
     */
    public Listing<TransactionsPage> pages(TransactionFilters filters, ReadOption... options) {
        return new Listing<>(() -> {
            Walk walk = new Walk(filters, options);
            return () -> {
                TransactionsPage page = walk.next();
                return page == null ? null : new Listing.Step<>(List.of(page), walk.failure);
            };
        });
    }

    /**
     * Walks every item of every page.
     *
     * @param filters the filters
     * @param options a position
     * @return the items
     */
    public Listing<Transaction> all(TransactionFilters filters, ReadOption... options) {
        return new Listing<>(() -> {
            Walk walk = new Walk(filters, options);
            return () -> {
                TransactionsPage page = walk.next();
                return page == null ? null : new Listing.Step<>(page.data(), walk.failure);
            };
        });
    }

    /** Fetches page after page. */
    private final class Walk {
        private final ReadOption[] options;
        private TransactionFilters filters;
        private boolean isOver;
        private PesaPostException failure;

        Walk(TransactionFilters filters, ReadOption... options) {
            this.filters = filters;
            this.options = options;
        }

        /** Returns the next page; null after the last one. */
        TransactionsPage next() {
            if (isOver) {
                return null;
            }
            TransactionsPage page = list(filters, options);
            String cursor = page.nextCursor();
            isOver = cursor == null && page.members().containsKey("next_cursor");
            // A cursor that leads to itself, or none, would be followed for ever.
            if (!isOver && (cursor == null || cursor.isEmpty() || cursor.equals(filters.cursor()))) {
                failure = Failure.notAPage(PATH);
            }
            filters = filters.withCursor(cursor);
            return page;
        }
    }
}
