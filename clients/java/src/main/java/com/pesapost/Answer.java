package com.pesapost;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.http.HttpResponse;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.List;

/**
 * An answer of 2xx that is a JSON object.
 *
 * @param raw the answer as it came
 * @param members the object's members
 */
record Answer(HttpResponse<byte[]> raw, Members members) {
    private static final int OK = 200;
    private static final int MULTIPLE_CHOICES = 300;
    private static final int BAD_REQUEST = 400;

    String ledgerPosition() {
        return header(raw, "X-PP-Ledger-Position");
    }

    boolean existing() {
        return "true".equals(header(raw, "X-PP-Existing"));
    }

    boolean replayed() {
        return "true".equals(header(raw, "Idempotent-Replayed"));
    }

    String text() {
        return new String(raw.body(), UTF_8);
    }

    /** Reads an answer. Throws its failure; a date in Retry-After counts from {@code now}. */
    static Answer read(String path, HttpResponse<byte[]> raw, Instant now) {
        if (raw.statusCode() < OK || raw.statusCode() >= MULTIPLE_CHOICES) {
            throw failureOf(raw, retryAfter(header(raw, "Retry-After"), now));
        }
        try {
            Answer answer = new Answer(raw, Members.parse(raw.body()));
            String differs = header(raw, "X-PP-Differs");
            if (differs == null) {
                return answer;
            }
            List<String> fields = Arrays.stream(differs.split(",")).map(String::strip).toList();
            throw new DifferentItemException(differentCode(path), fields, CreatedItem.of(answer));
        } catch (MalformedJson malformed) {
            throw Failure.unexpected(raw, null);
        }
    }

    /** Returns the code for a path. A refund of a collection is a payout. */
    private static String differentCode(String path) {
        if (path.equals(PayoutBatchService.PATH)) {
            return "different_payout_batch";
        }
        boolean isPayout = path.equals(PayoutService.PATH) || path.endsWith("/refund");
        return isPayout ? "different_payout" : "different_collection";
    }

    private static PesaPostException failureOf(HttpResponse<byte[]> raw, Duration retryAfter) {
        String code = null;
        String detail = null;
        try {
            Members members = Members.parse(raw.body());
            code = members.text("error");
            detail = members.text("detail");
        } catch (MalformedJson malformed) {
            // A proxy's page has no code.
        }
        if (code == null || code.isEmpty() || raw.statusCode() < BAD_REQUEST) {
            return Failure.unexpected(raw, retryAfter);
        }
        return Failure.answered(code, detail, factsOf(raw, retryAfter));
    }

    static Failure.AnswerFacts factsOf(HttpResponse<byte[]> raw, Duration retryAfter) {
        return new Failure.AnswerFacts(raw.statusCode(), header(raw, "X-Request-Id"), retryAfter);
    }

    private static String header(HttpResponse<byte[]> raw, String name) {
        List<String> values = raw.headers().allValues(name);
        return values.isEmpty() ? null : String.join(", ", values);
    }

    /** Reads seconds or a date (RFC 9110, section 10.2.3), and returns null for anything else. */
    static Duration retryAfter(String text, Instant now) {
        if (text == null) {
            return null;
        }
        if (text.matches("[0-9]{1,9}")) {
            return Duration.ofSeconds(Long.parseLong(text));
        }
        try {
            Instant until = Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(text));
            Duration left = Duration.between(now, until);
            return left.isNegative() ? Duration.ZERO : Duration.ofSeconds(left.plusNanos(999_999_999).toSeconds());
        } catch (DateTimeException malformed) {
            return null;
        }
    }
}
