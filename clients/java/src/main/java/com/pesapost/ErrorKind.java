package com.pesapost;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** A group of error codes. */
public enum ErrorKind {
    /** The token, address or signature is wrong: check the set-up, or a clock. */
    AUTHENTICATION,
    /** The request is not well-formed: {@link PesaPostException#detail} names the field and the rule. */
    REQUEST,
    /** There is no item with that name. */
    NOT_FOUND,
    /** The request is well-formed, and declined. */
    REFUSED,
    /** The Idempotency-Key is in use, or was used for another body. */
    IDEMPOTENCY,
    /** There were too many requests: try again later. */
    RATE_LIMIT,
    /** The service cannot answer: try again later. */
    SERVICE,
    /** No answer came, because the connection failed or broke: it is unknown if the request arrived. */
    NETWORK,
    /** No answer came in time: it is unknown if the request arrived. */
    TIMEOUT,
    /** The calling thread was interrupted: it is unknown if the request arrived. */
    CANCELED,
    /** A wait is over, and the collection may still settle. */
    NOT_SETTLED,
    /** The answer is not PesaPost's, or its code is newer than this client. */
    UNKNOWN;

    private static final Map<String, ErrorKind> CODES = new LinkedHashMap<>();

    static {
        put(
                AUTHENTICATION,
                "invalid_token",
                "ip_not_allowed",
                "missing_signature",
                "timestamp_expired",
                "invalid_signature",
                "invalid_nonce",
                "nonce_reused",
                "invalid_client",
                "unsupported_grant_type");
        put(
                REQUEST,
                "missing_idempotency_key",
                "invalid_idempotency_key",
                "invalid_cursor",
                "invalid_request",
                "invalid_account",
                "invalid_phone",
                "invalid_amount",
                "invalid_currency",
                "invalid_channel",
                "invalid_reference",
                "invalid_type",
                "invalid_status",
                "invalid_date",
                "invalid_limit",
                "invalid_position",
                "invalid_sequence",
                "method_not_allowed",
                "payload_too_large",
                "unsupported_media_type");
        put(NOT_FOUND, "not_found");
        put(
                REFUSED,
                "same_holder",
                "not_refundable",
                "destination_not_allowed",
                "not_pending_approval",
                "not_cancellable",
                "insufficient_funds",
                "limit_exceeded",
                "rail_rejected");
        put(IDEMPOTENCY, "idempotency_in_progress", "idempotency_key_reused");
        put(RATE_LIMIT, "rate_limited");
        put(SERVICE, "internal_error", "service_unavailable");
    }

    private static void put(ErrorKind kind, String... codes) {
        for (String code : codes) {
            CODES.put(code, kind);
        }
    }

    /**
     * Returns every error code of PesaPost with its kind.
     *
     * @return the kinds by code
     */
    public static Map<String, ErrorKind> byCode() {
        return Collections.unmodifiableMap(CODES);
    }
}
