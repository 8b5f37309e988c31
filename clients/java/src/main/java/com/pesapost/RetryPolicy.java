package com.pesapost;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A policy of retries: how often and after how long a call is repeated (SDK-2).
 *
 * @param maxRetries the number of retries after the first try, 0 to 20
 * @param baseDelay the delay before the first retry; it doubles for each further one
 * @param maxDelay the longest delay; if the service asks for more, the call fails at once
 */
public record RetryPolicy(int maxRetries, Duration baseDelay, Duration maxDelay) {
    /** The policy of a client without one: 4 retries, after 0.5 s to 20 s. */
    public static final RetryPolicy DEFAULT = new RetryPolicy(4, Duration.ofMillis(500), Duration.ofSeconds(20));

    private static final int MOST = 20;

    /**
     * Refuses a policy that cannot work.
     *
     * @param maxRetries the number of retries after the first try, 0 to 20
     * @param baseDelay the delay before the first retry
     * @param maxDelay the longest delay
     */
    public RetryPolicy {
        if (maxRetries < 0 || maxRetries > MOST) {
            throw new IllegalArgumentException("maxRetries must be from 0 to " + MOST);
        }
        if (baseDelay.isNegative() || maxDelay.isNegative()) {
            throw new IllegalArgumentException("baseDelay and maxDelay must be 0 or more");
        }
    }

    /** Returns the delay before the n-th retry; null if the failure is final. */
    Duration delay(Failure failure, int retry) {
        Duration asked = failure.answer().retryAfter();
        if (retry > maxRetries || !failure.isRetryable() || asked != null && asked.compareTo(maxDelay) > 0) {
            return null;
        }
        double share = ThreadLocalRandom.current().nextDouble();
        Duration backoff = share(backoff(retry), 1 - share / 2);
        if (asked == null) {
            return backoff;
        }
        // All callers received the same time, so each waits a little longer at random.
        Duration later = asked.plus(share(baseDelay, share));
        return later.compareTo(backoff) > 0 ? later : backoff;
    }

    private Duration backoff(int retry) {
        Duration delay = baseDelay;
        for (int doubled = 1; doubled < retry && delay.compareTo(maxDelay) < 0; doubled++) {
            delay = delay.multipliedBy(2);
        }
        return delay.compareTo(maxDelay) > 0 ? maxDelay : delay;
    }

    private static Duration share(Duration time, double share) {
        return Duration.ofMillis((long) (time.toMillis() * share));
    }
}
