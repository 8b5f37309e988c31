package com.pesapost;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import java.io.IOException;
import java.util.Objects;

/**
 * A receiver for the JDK's own server: {@code server.createContext("/webhooks", new WebhookHandler(receiver))}.
 *
 * <p>It needs the module jdk.httpserver. Any number of threads may use one.
 */
public final class WebhookHandler implements HttpHandler {
    private static final int NO_BODY = -1;

    private final WebhookReceiver receiver;

    /**
     * Makes a handler.
     *
     * @param receiver receives the requests
     */
    public WebhookHandler(WebhookReceiver receiver) {
        this.receiver = Objects.requireNonNull(receiver, "receiver");
    }

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] payload = exchange.getRequestBody().readNBytes(WebhookReceiver.MAX_BYTES + 1);
            int status = receiver.receive(payload, exchange.getRequestHeaders());
            exchange.sendResponseHeaders(status, NO_BODY);
        }
    }
}
