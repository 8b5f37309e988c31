package com.pesapost;

import java.time.Duration;

/** A time at which a call must have ended, by a clock that always runs forwards. */
final class Deadline {
    /** A call without a deadline ends by its policy of retries. */
    static final Deadline NEVER = new Deadline(System.nanoTime(), Duration.ofDays(365_000_000));

    private final long from;
    private final Duration within;

    private Deadline(long from, Duration within) {
        this.from = from;
        this.within = within;
    }

    static Deadline after(Duration within) {
        return new Deadline(System.nanoTime(), within);
    }

    /** Returns the time that is left; zero or less when time is up. */
    Duration left() {
        return within.minusNanos(System.nanoTime() - from);
    }

    boolean isOver() {
        Duration left = left();
        return left.isNegative() || left.isZero();
    }

    /** Returns the limit, or the time that is left if that is less. */
    Duration atMost(Duration limit) {
        Duration left = left();
        return left.compareTo(limit) < 0 ? left : limit;
    }
}
