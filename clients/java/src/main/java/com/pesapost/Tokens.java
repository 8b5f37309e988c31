package com.pesapost;

import java.net.http.HttpResponse;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;

/** Fetches a token when it is first needed, by one request for all threads that wait (SDK-8). */
final class Tokens {
    private static final String PATH = "/api/v4/oauth/token";

    /** A token is renewed so long before its end, or a tenth of its life if that is less. */
    private static final Duration RENEW_AHEAD = Duration.ofMinutes(1);

    private static final int TENTH = 10;

    /** A header can have no other text. */
    private static final Pattern TOKEN = Pattern.compile("[\\x21-\\x7e]+");

    private final Wire wire;
    private final Wire.Request request;
    private final Duration timeout;
    private final Clock clock;

    /** The last request, which may be under way; null before the first one. */
    private CompletableFuture<Token> latest;

    /**
     * A token.
     *
     * @param text the token
     * @param renewAt the time from which it is renewed
     */
    record Token(String text, Instant renewAt) {}

    Tokens(Wire wire, String clientId, String clientSecret, Duration timeout, Clock clock) {
        String basic = Base64.getEncoder().encodeToString(Utf8.bytes(clientId + ":" + clientSecret));
        Map<String, String> headers = Map.of(
                "Accept", "application/json",
                "Authorization", "Basic " + basic,
                "Content-Type", "application/x-www-form-urlencoded");
        this.wire = wire;
        this.request = new Wire.Request("POST", PATH, headers, Utf8.bytes("grant_type=client_credentials"));
        this.timeout = timeout;
        this.clock = clock;
    }

    /** Returns the token. If the limit passes or the thread is interrupted, the request continues for the others. */
    Token current(Duration limit) {
        try {
            return shared().get(Math.max(0, limit.toNanos()), TimeUnit.NANOSECONDS);
        } catch (TimeoutException late) {
            throw Failure.timeout(limit, late);
        } catch (InterruptedException interruption) {
            throw Failure.interrupted(interruption);
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof PesaPostException failure ? failure : Failure.network(failed.getCause());
        }
    }

    private synchronized CompletableFuture<Token> shared() {
        if (latest == null || latest.isDone() && !isFresh()) {
            latest = fetch();
        }
        return latest;
    }

    private boolean isFresh() {
        return !latest.isCompletedExceptionally() && clock.instant().isBefore(latest.join().renewAt());
    }

    /** Drops a token that the service refused. A newer token is kept. */
    synchronized void forget(Token refused) {
        boolean isHeld = latest != null && latest.isDone() && !latest.isCompletedExceptionally();
        if (isHeld && latest.join() == refused) {
            latest = null;
        }
    }

    /** Asks by OAuth 2.0 client credentials (RFC 6749, section 4.4), in a thread of its own. */
    private CompletableFuture<Token> fetch() {
        return CompletableFuture.supplyAsync(() -> read(wire.exchange(request, timeout)), work -> {
            Thread thread = new Thread(work, "pesapost-token");
            thread.setDaemon(true);
            thread.start();
        });
    }

    private Token read(HttpResponse<byte[]> raw) {
        Members members = Answer.read(PATH, raw, clock.instant()).members();
        if (members.all().get("access_token") instanceof String text
                && TOKEN.matcher(text).matches()
                && members.all().get("expires_in") instanceof Long seconds) {
            Duration life = Duration.ofSeconds(seconds);
            Duration tenth = life.dividedBy(TENTH);
            Duration ahead = tenth.compareTo(RENEW_AHEAD) < 0 ? tenth : RENEW_AHEAD;
            return new Token(text, clock.instant().plus(life.minus(ahead)));
        }
        throw Failure.unexpected(raw, null);
    }
}
