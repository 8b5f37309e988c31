package com.pesapost;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Verifies webhooks, calls back with each event, and returns the status to answer with (SDK-18): 204 once the event was
 * handled, 400 for a request that does not verify, 413 for a body over 64 KiB, and 500 if the event was not handled, so
 * that it is delivered again.
 *
 * <p>{@link WebhookHandler} is for the JDK's own server. In any other server, pass the body and the headers of a
 * request to {@link #receive}. Any number of threads may use one receiver.
 */
public final class WebhookReceiver {
    static final int MAX_BYTES = 64 * 1024;

    private static final int NO_CONTENT = 204;
    private static final int BAD_REQUEST = 400;
    private static final int CONTENT_TOO_LARGE = 413;
    private static final int INTERNAL_SERVER_ERROR = 500;

    private final WebhookVerifier verifier;
    private final OnEvent onEvent;
    private final Consumer<WebhookException> onRefused;
    private final Consumer<Exception> onFailed;

    /** Handles an event. */
    @FunctionalInterface
    public interface OnEvent {
        /**
         * Handles an event. Deliveries repeat, so handle each id once.
         *
         * @param event the event
         * @throws Exception if the event was not handled and has to be delivered again
         */
        void handle(Event event) throws Exception;
    }

    /**
     * Makes a receiver that logs the failures of {@code onEvent}.
     *
     * @param verifier verifies the requests
     * @param onEvent handles an event
     */
    public WebhookReceiver(WebhookVerifier verifier, OnEvent onEvent) {
        this(verifier, onEvent, refusal -> {}, WebhookReceiver::log);
    }

    private WebhookReceiver(
            WebhookVerifier verifier,
            OnEvent onEvent,
            Consumer<WebhookException> onRefused,
            Consumer<Exception> onFailed) {
        this.verifier = Objects.requireNonNull(verifier, "verifier");
        this.onEvent = Objects.requireNonNull(onEvent, "onEvent");
        this.onRefused = Objects.requireNonNull(onRefused, "onRefused");
        this.onFailed = Objects.requireNonNull(onFailed, "onFailed");
    }

    private static void log(Exception failure) {
        System.getLogger("com.pesapost").log(System.Logger.Level.ERROR, "a webhook was not handled", failure);
    }

    /**
     * Makes a receiver that reports each 400.
     *
     * @param consumer gets the reason
     * @return the receiver
     */
    public WebhookReceiver onRefused(Consumer<WebhookException> consumer) {
        return new WebhookReceiver(verifier, onEvent, consumer, onFailed);
    }

    /**
     * Makes a receiver that reports each 500, and does not log it.
     *
     * @param consumer gets the failure of the handler
     * @return the receiver
     */
    public WebhookReceiver onFailed(Consumer<Exception> consumer) {
        return new WebhookReceiver(verifier, onEvent, onRefused, consumer);
    }

    /**
     * Receives a request.
     *
     * @param payload the body's raw bytes, never JSON that was parsed and written again
     * @param headers the headers, whose names may be in capitals or not
     * @return the status to answer with
     */
    public int receive(byte[] payload, Map<String, List<String>> headers) {
        return receive(payload, () -> verifier.verify(payload, headers));
    }

    /**
     * Receives a request of a server whose headers are no map, such as a servlet's: {@code name ->
     * Collections.list(request.getHeaders(name))}.
     *
     * @param payload the body's raw bytes, never JSON that was parsed and written again
     * @param headers returns all values of a header
     * @return the status to answer with
     */
    public int receive(byte[] payload, Function<String, List<String>> headers) {
        return receive(payload, () -> verifier.verify(payload, headers));
    }

    private int receive(byte[] payload, Supplier<Event> verified) {
        if (payload.length > MAX_BYTES) {
            return CONTENT_TOO_LARGE;
        }
        Event event;
        try {
            event = verified.get();
        } catch (WebhookException refusal) {
            onRefused.accept(refusal);
            return BAD_REQUEST;
        }
        try {
            onEvent.handle(event);
            return NO_CONTENT;
        } catch (Exception failure) {
            if (failure instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            onFailed.accept(failure);
            return INTERNAL_SERVER_ERROR;
        }
    }
}
