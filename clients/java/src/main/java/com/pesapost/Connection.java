package com.pesapost;

import java.net.http.HttpResponse;
import java.security.PrivateKey;
import java.time.Clock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;

/**
 * Sends calls of one credential: token, signature, retries.
 *
 * @param wire the server
 * @param tokens the credential's tokens
 * @param key signs
 * @param clock is within 300 s of the service's
 * @param timeout is for each try
 * @param retries says how often a call is repeated
 */
record Connection(Wire wire, Tokens tokens, PrivateKey key, Clock clock, Duration timeout, RetryPolicy retries) {
    /**
     * Sends the call until it succeeds or no retry is left (SDK-1). Every try has the same key and the same bytes, with
     * a new nonce and a new timestamp (SDK-6). Throws PesaPostException.
     */
    <T> T send(ApiCall call, Function<Answer, T> shape) {
        boolean mayRenew = true;
        int attempts = 1;
        while (true) {
            Tokens.Token token = null;
            try {
                token = tokens.current(call.deadline().atMost(timeout));
                return attempt(call, token, shape);
            } catch (PesaPostException failure) {
                if (token != null && failure.code().equals(Failure.INVALID_TOKEN)) {
                    tokens.forget(token);
                    if (mayRenew) {
                        // A renewal is no retry (SDK-8).
                        mayRenew = false;
                        continue;
                    }
                }
                Duration delay = retries.delay(failure.failure(), attempts);
                if (delay == null || call.deadline().left().compareTo(delay) <= 0) {
                    throw failure.of(call.facts(attempts));
                }
                pause(delay, call.facts(attempts));
                attempts++;
            }
        }
    }

    private <T> T attempt(ApiCall call, Tokens.Token token, Function<Answer, T> shape) {
        Wire.Request request = signed(call, token);
        HttpResponse<byte[]> raw = wire.exchange(request, call.deadline().atMost(timeout));
        Answer answer = Answer.read(call.path(), raw, clock.instant());
        try {
            return shape.apply(answer);
        } catch (MalformedJson otherShape) {
            throw Failure.unexpected(raw, null);
        }
    }

    private Wire.Request signed(ApiCall call, Tokens.Token token) {
        String nonce = UUID.randomUUID().toString();
        String timestamp = Long.toString(clock.instant().getEpochSecond());
        String text = Signing.stringToSign(
                new Signing.Request(call.method(), call.path(), call.query(), call.body(), nonce, timestamp));
        Map<String, String> headers = new LinkedHashMap<>(call.headers());
        headers.put("Accept", "application/json");
        headers.put("Authorization", "Bearer " + token.text());
        headers.put("X-PP-Signature", Signing.sign(key, text));
        headers.put("X-PP-Nonce", nonce);
        headers.put("X-PP-Timestamp", timestamp);
        String target = call.query().isEmpty() ? call.path() : call.path() + "?" + call.query();
        return new Wire.Request(call.method(), target, headers, call.body());
    }

    /** Waits. Throws PesaPostException if the thread is interrupted. */
    static void pause(Duration delay, CallFacts call) {
        try {
            Thread.sleep(Math.max(0, delay.toMillis()));
        } catch (InterruptedException interruption) {
            throw Failure.interrupted(interruption).of(call);
        }
    }
}
