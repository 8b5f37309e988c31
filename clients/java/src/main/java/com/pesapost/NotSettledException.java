package com.pesapost;

import java.time.Duration;

/** {@link CollectionService#waitUntilSettled} ran out of time. The collection may still settle. */
public final class NotSettledException extends PesaPostException {
    private static final long serialVersionUID = 1L;

    private final transient Transaction last;

    NotSettledException(CallFacts call, Duration within, Transaction last) {
        super(Failure.of("not_settled", ErrorKind.NOT_SETTLED, sentence(within, last)), call, null);
        this.last = last;
    }

    private static String sentence(Duration within, Transaction last) {
        return (last == null ? "unknown status" : last.status()) + " after " + within.toMillis() + " ms";
    }

    /**
     * Returns the last known state.
     *
     * @return the collection; null if no answer came, or after the exception was serialized
     */
    public Transaction last() {
        return last;
    }
}
