package com.pesapost;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Verifies that requests are PesaPost's webhooks, unchanged and recent (SDK-17). Any number of threads may use one. */
public final class WebhookVerifier {
    private static final Duration DEFAULT_TOLERANCE = Duration.ofSeconds(300);
    private static final Pattern UNIX_SECONDS = Pattern.compile("[0-9]{1,12}");
    private static final Pattern SIGNATURE = Pattern.compile("v4=[0-9a-f]{64}");

    /** A rotation has two signatures. A sender with more only makes us work. */
    private static final int MAX_SIGNATURES = 8;

    private final List<SecretKeySpec> secrets;
    private final Duration tolerance;
    private final Clock clock;

    /**
     * Makes a verifier that tolerates 300 s.
     *
     * @param secrets the endpoint's secret; during a rotation, the new one and the old one
     * @throws IllegalArgumentException if there is no secret, or an empty one
     */
    public WebhookVerifier(String... secrets) {
        this(Arrays.stream(secrets).map(WebhookVerifier::key).toList(), DEFAULT_TOLERANCE, Clock.systemUTC());
        if (secrets.length == 0) {
            throw new IllegalArgumentException("there is no webhook secret to verify with");
        }
    }

    private WebhookVerifier(List<SecretKeySpec> secrets, Duration tolerance, Clock clock) {
        this.secrets = secrets;
        this.tolerance = tolerance;
        this.clock = clock;
    }

    private static SecretKeySpec key(String secret) {
        if (secret.isEmpty()) {
            throw new IllegalArgumentException("a webhook secret is empty, and would verify anything");
        }
        return new SecretKeySpec(Utf8.bytes(secret), "HmacSHA256");
    }

    /**
     * Makes a verifier with another tolerance.
     *
     * @param other how far the timestamp may be from now, in either direction
     * @return the verifier
     */
    public WebhookVerifier withTolerance(Duration other) {
        return new WebhookVerifier(secrets, other, clock);
    }

    /**
     * Makes a verifier with another clock.
     *
     * @param other the clock
     * @return the verifier
     */
    public WebhookVerifier withClock(Clock other) {
        return new WebhookVerifier(secrets, tolerance, other);
    }

    /**
     * Verifies a request and returns its event.
     *
     * @param payload the body's raw bytes, never JSON that was parsed and written again
     * @param headers the headers, whose names may be in capitals or not
     * @return the event
     * @throws WebhookException if the request is not a valid webhook
     */
    public Event verify(byte[] payload, Map<String, List<String>> headers) {
        return verify(payload, name -> headers.entrySet().stream()
                .filter(header -> name.equalsIgnoreCase(header.getKey()))
                .flatMap(header -> header.getValue().stream())
                .toList());
    }

    /**
     * Verifies a request of a server whose headers are no map, such as a servlet's: {@code name ->
     * Collections.list(request.getHeaders(name))}.
     *
     * @param payload the body's raw bytes, never JSON that was parsed and written again
     * @param headers returns all values of a header
     * @return the event
     * @throws WebhookException if the request is not a valid webhook
     */
    public Event verify(byte[] payload, Function<String, List<String>> headers) {
        String id = only(headers.apply("PesaPost-Event-Id"));
        String timestamp = only(headers.apply("PesaPost-Timestamp"));
        String signature = only(headers.apply("PesaPost-Signature"));
        if (!UNIX_SECONDS.matcher(timestamp).matches()) {
            throw new WebhookException("malformed_timestamp");
        }
        List<byte[]> signatures = Arrays.stream(signature.split(",", MAX_SIGNATURES + 1))
                .limit(MAX_SIGNATURES)
                .map(String::strip)
                .filter(part -> SIGNATURE.matcher(part).matches())
                .map(part -> HexFormat.of().parseHex(part, "v4=".length(), part.length()))
                .toList();
        if (signatures.isEmpty()) {
            throw new WebhookException("malformed_signature");
        }
        if (!matches(signatures, Utf8.bytes(id + "." + timestamp + "."), payload)) {
            throw new WebhookException("no_matching_signature");
        }
        Duration age = Duration.between(Instant.ofEpochSecond(Long.parseLong(timestamp)), clock.instant());
        if (age.abs().compareTo(tolerance) > 0) {
            throw new WebhookException("timestamp_out_of_tolerance");
        }
        return event(payload);
    }

    /** Returns the only value. A header that appears twice could be read in two ways. */
    private static String only(List<String> values) {
        if (values == null || values.size() != 1 || values.get(0).isEmpty()) {
            throw new WebhookException("missing_header");
        }
        return values.get(0);
    }

    /** Tries every secret on every signature, so that the time does not reveal which one matched. */
    private boolean matches(List<byte[]> signatures, byte[] prefix, byte[] payload) {
        boolean matches = false;
        for (SecretKeySpec secret : secrets) {
            byte[] expected = hmac(secret, prefix, payload);
            for (byte[] signature : signatures) {
                matches |= MessageDigest.isEqual(expected, signature);
            }
        }
        return matches;
    }

    private static byte[] hmac(SecretKeySpec secret, byte[] prefix, byte[] payload) {
        try {
            Mac mac = Mac.getInstance(secret.getAlgorithm());
            mac.init(secret);
            mac.update(prefix);
            return mac.doFinal(payload);
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException("this Java has no HMAC-SHA256", missing);
        }
    }

    private static Event event(byte[] payload) {
        try {
            Event event = Event.of(Members.parse(payload));
            if (event.id() != null && event.type() != null && event.data() != null) {
                return event;
            }
        } catch (MalformedJson malformed) {
            // The code below says it.
        }
        throw new WebhookException("malformed_payload");
    }
}
