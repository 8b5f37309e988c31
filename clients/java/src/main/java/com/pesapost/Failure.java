package com.pesapost;

import java.io.Serializable;
import java.net.http.HttpResponse;
import java.time.Duration;

/**
 * The reason why a call failed.
 *
 * @param code the exact error
 * @param kind its group
 * @param answer facts of the answer; {@link AnswerFacts#NONE} if none came
 * @param detail one sentence that names the field and the rule; null if there is none
 * @param wireCode the code as received, if this client does not know it
 * @param sentence the reason for people
 */
record Failure(String code, ErrorKind kind, AnswerFacts answer, String detail, String wireCode, String sentence)
        implements Serializable {
    static final String UNEXPECTED_ANSWER = "unexpected_answer";
    static final String INVALID_TOKEN = "invalid_token";

    private static final int OK = 200;
    private static final int TOO_MANY_REQUESTS = 429;
    private static final int SERVICE_UNAVAILABLE = 503;

    /**
     * Facts of an answer that is an error.
     *
     * @param status the status of HTTP; 0 if no answer came
     * @param requestId X-Request-Id, or null
     * @param retryAfter the time that the service asked for, or null
     */
    record AnswerFacts(int status, String requestId, Duration retryAfter) implements Serializable {
        static final AnswerFacts NONE = new AnswerFacts(0, null, null);
    }

    static PesaPostException network(Throwable cause) {
        return own("network_failure", ErrorKind.NETWORK, "no answer: the connection failed or broke", cause);
    }

    static PesaPostException timeout(Duration limit, Throwable cause) {
        return own("timeout", ErrorKind.TIMEOUT, "no answer within " + limit.toMillis() + " ms", cause);
    }

    /** Keeps the thread interrupted, because the caller's own code has to end too. */
    static PesaPostException interrupted(InterruptedException cause) {
        Thread.currentThread().interrupt();
        return own("canceled", ErrorKind.CANCELED, "the thread was interrupted", cause);
    }

    /** Makes the failure of an answer that is not in the shape of PesaPost's (SDK-11). */
    static PesaPostException unexpected(HttpResponse<byte[]> answer, Duration retryAfter) {
        String sentence = answer.statusCode() + ", not in the shape of a PesaPost answer; is baseUrl right?";
        return new PesaPostException(
                new Failure(
                        UNEXPECTED_ANSWER,
                        ErrorKind.UNKNOWN,
                        Answer.factsOf(answer, retryAfter),
                        null,
                        null,
                        sentence),
                null);
    }

    /** Makes the failure of an answer with an error code. */
    static PesaPostException answered(String code, String detail, AnswerFacts answer) {
        ErrorKind kind = ErrorKind.byCode().get(code);
        String sentence = answer.status() + " " + code + (detail == null ? "" : ": " + detail);
        return new PesaPostException(
                kind == null
                        ? new Failure("unknown_code", ErrorKind.UNKNOWN, answer, detail, code, sentence)
                        : new Failure(code, kind, answer, detail, null, sentence),
                null);
    }

    /** Makes the failure of an answer of 200 whose page does not fit the pages before it. */
    static PesaPostException notAPage(String path) {
        String sentence = "200, but the page does not follow the one before it";
        AnswerFacts answer = new AnswerFacts(OK, null, null);
        Failure failure = new Failure(UNEXPECTED_ANSWER, ErrorKind.UNKNOWN, answer, null, null, sentence);
        return new PesaPostException(failure, new CallFacts("GET " + path, 1, null), null);
    }

    static Failure of(String code, ErrorKind kind, String sentence) {
        return new Failure(code, kind, AnswerFacts.NONE, null, null, sentence);
    }

    private static PesaPostException own(String code, ErrorKind kind, String sentence, Throwable cause) {
        return new PesaPostException(of(code, kind, sentence), cause);
    }

    /** True if the same call may get another answer (SDK-1). */
    boolean isRetryable() {
        return kind == ErrorKind.NETWORK
                || kind == ErrorKind.TIMEOUT
                || answer.status() == TOO_MANY_REQUESTS
                || answer.status() == SERVICE_UNAVAILABLE
                || code.equals("idempotency_in_progress");
    }
}
