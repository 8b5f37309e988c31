package com.pesapost;

/** A request is not a valid webhook. Answer 400, and do nothing with its content. */
public final class WebhookException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The exact reason. */
    private final String code;

    WebhookException(String code) {
        super(sentence(code));
        this.code = code;
    }

    private static String sentence(String code) {
        return switch (code) {
            case "missing_header" ->
                "a webhook carries PesaPost-Signature, PesaPost-Event-Id and PesaPost-Timestamp, each once; is this "
                        + "request from PesaPost, and does a proxy keep its headers?";
            case "malformed_timestamp" -> "PesaPost-Timestamp is not Unix seconds in decimal digits";
            case "malformed_signature" ->
                "PesaPost-Signature has no part of the form v4=<64 lower-case hexadecimal digits>";
            case "no_matching_signature" ->
                "no signature is that of this body under these secrets; pass the raw bytes of the body, and the secret "
                        + "of this endpoint and mode";
            case "timestamp_out_of_tolerance" ->
                "the webhook is genuine but not of now: it is a replay, or one of the two clocks is wrong";
            default -> "the webhook is genuine but its body is no webhook event";
        };
    }

    /**
     * Returns the exact reason.
     *
     * @return missing_header, malformed_timestamp, malformed_signature, no_matching_signature,
     *     timestamp_out_of_tolerance or malformed_payload
     */
    public String code() {
        return code;
    }
}
