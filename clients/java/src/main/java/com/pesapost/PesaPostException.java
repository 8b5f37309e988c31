package com.pesapost;

import java.time.Duration;

/**
 * A failed call (SDK-10). {@link #kind} is the group of errors, and {@link #code} the exact one.
 *
 * <p>No message has a secret, a token or a key in it. A mistake of the calling program, such as an amount that is
 * missing, is an {@link IllegalArgumentException}.
 */
public sealed class PesaPostException extends RuntimeException permits DifferentItemException, NotSettledException {
    private static final long serialVersionUID = 1L;

    /** The reason. */
    private final Failure failure;

    /** The call. */
    private final CallFacts call;

    PesaPostException(Failure failure, Throwable cause) {
        this(failure, CallFacts.NONE, cause);
    }

    PesaPostException(Failure failure, CallFacts call, Throwable cause) {
        super(call.name() + ": " + failure.sentence(), cause);
        this.failure = failure;
        this.call = call;
    }

    /** Returns the same failure as that of a call, because several calls may share a failed request for a token. */
    PesaPostException of(CallFacts named) {
        return new PesaPostException(failure, named, getCause());
    }

    Failure failure() {
        return failure;
    }

    /**
     * Returns the exact error.
     *
     * @return a code of PesaPost, or the client's own: network_failure, timeout, canceled, not_settled, unknown_code,
     *     unexpected_answer, different_collection, different_payout or different_payout_batch
     */
    public String code() {
        return failure.code();
    }

    /**
     * Returns the group of the code.
     *
     * @return the group
     */
    public ErrorKind kind() {
        return failure.kind();
    }

    /**
     * Returns the status of HTTP.
     *
     * @return the status; 0 if no answer came
     */
    public int status() {
        return failure.answer().status();
    }

    /**
     * Returns the sentence of the service that names the field and the rule.
     *
     * @return the sentence; null if there is none
     */
    public String detail() {
        return failure.detail();
    }

    /**
     * Returns the id to quote in a request for help.
     *
     * @return X-Request-Id; null if there is none
     */
    public String requestId() {
        return failure.answer().requestId();
    }

    /**
     * Returns the time that the service asked to wait.
     *
     * @return the time; null if it asked for none
     */
    public Duration retryAfter() {
        return failure.answer().retryAfter();
    }

    /**
     * Returns the code as received, if {@link #code} is unknown_code.
     *
     * @return the code; null otherwise
     */
    public String wireCode() {
        return failure.wireCode();
    }

    /**
     * Returns the method and the path of the call.
     *
     * @return such as POST /api/v4/collections
     */
    public String call() {
        return call.name();
    }

    /**
     * Returns the number of times that the request was sent.
     *
     * @return the number of tries
     */
    public int attempts() {
        return call.attempts();
    }

    /**
     * Returns the key of a call that changes something. A later call with it and the same body repeats this one.
     *
     * @return the key; null if the call has none
     */
    public String idempotencyKey() {
        return call.idempotencyKey();
    }
}
