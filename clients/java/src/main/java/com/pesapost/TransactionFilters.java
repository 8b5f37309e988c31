package com.pesapost;

import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;

/**
 * Filters of the list of transactions. One that is null does not filter.
 *
 * <p>{@code TransactionFilters.NONE.withStatus("completed").onDay(day)} is a day's completed transactions.
 *
 * @param type collection or payout
 * @param status a status, such as completed
 * @param from the first day, a day of the merchant's time zone
 * @param to the last day, inclusive
 * @param dateField the time that the days refer to: created_at if null, completed_at or paid_at
 * @param batch the reference of a batch
 * @param origin v4, v3, checkout or c2b
 * @param limit the number of items on a page, 1 to 100; null for 25
 * @param cursor an earlier page's {@link TransactionsPage#nextCursor}
 */
public record TransactionFilters(
        String type,
        String status,
        LocalDate from,
        LocalDate to,
        String dateField,
        String batch,
        String origin,
        Integer limit,
        String cursor) {
    /** Filters nothing. */
    public static final TransactionFilters NONE =
            new TransactionFilters(null, null, null, null, null, null, null, null, null);

    /**
     * Filters by type as well.
     *
     * @param type collection or payout
     * @return new filters
     */
    public TransactionFilters withType(String type) {
        return new TransactionFilters(type, status, from, to, dateField, batch, origin, limit, cursor);
    }

    /**
     * Filters by status as well.
     *
     * @param status a status, such as completed
     * @return new filters
     */
    public TransactionFilters withStatus(String status) {
        return new TransactionFilters(type, status, from, to, dateField, batch, origin, limit, cursor);
    }

    /**
     * Filters by days as well.
     *
     * @param from the first day; null for no bound
     * @param to the last day, inclusive; null for no bound
     * @return new filters
     */
    public TransactionFilters between(LocalDate from, LocalDate to) {
        return new TransactionFilters(type, status, from, to, dateField, batch, origin, limit, cursor);
    }

    /**
     * Filters by one day as well.
     *
     * @param day the day
     * @return new filters
     */
    public TransactionFilters onDay(LocalDate day) {
        return between(day, day);
    }

    /**
     * Makes the days refer to another time.
     *
     * @param dateField created_at, completed_at or paid_at
     * @return new filters
     */
    public TransactionFilters withDateField(String dateField) {
        return new TransactionFilters(type, status, from, to, dateField, batch, origin, limit, cursor);
    }

    /**
     * Filters by batch as well.
     *
     * @param batch the reference of a batch
     * @return new filters
     */
    public TransactionFilters withBatch(String batch) {
        return new TransactionFilters(type, status, from, to, dateField, batch, origin, limit, cursor);
    }

    /**
     * Filters by origin as well.
     *
     * @param origin v4, v3, checkout or c2b
     * @return new filters
     */
    public TransactionFilters withOrigin(String origin) {
        return new TransactionFilters(type, status, from, to, dateField, batch, origin, limit, cursor);
    }

    /**
     * Sets the number of items on a page.
     *
     * @param limit 1 to 100
     * @return new filters
     */
    public TransactionFilters withLimit(int limit) {
        return new TransactionFilters(type, status, from, to, dateField, batch, origin, limit, cursor);
    }

    /**
     * Continues after an earlier page.
     *
     * @param cursor that page's {@link TransactionsPage#nextCursor}
     * @return new filters
     */
    public TransactionFilters withCursor(String cursor) {
        return new TransactionFilters(type, status, from, to, dateField, batch, origin, limit, cursor);
    }

    List<Query.Parameter> parameters() {
        List<Query.Parameter> set = new ArrayList<>();
        add(set, "type", type);
        add(set, "status", status);
        add(set, "from", from);
        add(set, "to", to);
        add(set, "date_field", dateField);
        add(set, "batch", batch);
        add(set, "origin", origin);
        add(set, "limit", limit);
        add(set, "cursor", cursor);
        return set;
    }

    private static void add(List<Query.Parameter> set, String name, Object value) {
        if (value != null) {
            set.add(new Query.Parameter(name, value.toString()));
        }
    }
}
