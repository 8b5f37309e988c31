package com.pesapost;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

class WebhooksTest {
    private static final String BODY =
            "{\"id\":\"e-1\",\"type\":\"collection.completed\",\"data\":{\"amount_minor\":100}}";

    private final List<String> events = new CopyOnWriteArrayList<>();
    private final List<String> refused = new CopyOnWriteArrayList<>();
    private final List<Exception> failed = new CopyOnWriteArrayList<>();
    private final WebhookVerifier verifier = new WebhookVerifier("whsec_2", "whsec_1");
    private final WebhookReceiver receiver = new WebhookReceiver(verifier, this::handle)
            .onRefused(refusal -> refused.add(refusal.code()))
            .onFailed(failed::add);

    private void handle(Event event) throws IOException {
        if (event.data().amountMinor().equals(Amount.ofMinor(500))) {
            throw new IOException("no database");
        }
        events.add(event.id());
    }

    private static Map<String, List<String>> signed(String body, String secret) throws GeneralSecurityException {
        String now = Long.toString(Instant.now().getEpochSecond());
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(secret.getBytes(UTF_8), "HmacSHA256"));
        String code = HexFormat.of().formatHex(mac.doFinal(("e-1." + now + "." + body).getBytes(UTF_8)));
        return Map.of(
                "pesapost-event-id", List.of("e-1"),
                "PesaPost-Timestamp", List.of(now),
                "PesaPost-Signature", List.of("v4=" + code));
    }

    private int received(String body, Map<String, List<String>> headers) {
        return receiver.receive(body.getBytes(UTF_8), headers);
    }

    @Test
    void theReceiverAnswers204OnceTheEventWasHandled() throws Exception {
        assertEquals(204, received(BODY, signed(BODY, "whsec_1")));
        assertEquals(List.of("e-1"), events);
    }

    @Test
    void theReceiverAnswers400ToARequestThatDoesNotVerify() throws Exception {
        assertEquals(400, received(BODY, signed(BODY, "whsec_3")));
        assertEquals(400, received(BODY, Map.of()));
        assertEquals(List.of("no_matching_signature", "missing_header"), refused);
        assertEquals(List.of(), events);
    }

    @Test
    void theReceiverAnswers413ToABodyOver64KiB() throws Exception {
        String longest = " ".repeat(64 * 1024 - BODY.length()) + BODY;
        assertEquals(204, received(longest, signed(longest, "whsec_1")));
        assertEquals(413, received(longest + " ", signed(longest + " ", "whsec_1")));
    }

    @Test
    void theReceiverAnswers500IfTheEventCouldNotBeHandled() throws Exception {
        String body = BODY.replace("100", "500");
        assertEquals(500, received(body, signed(body, "whsec_1")));
        assertEquals("no database", failed.get(0).getMessage());
    }

    @Test
    void aHeaderThatAppearsTwiceIsRefused() throws Exception {
        Map<String, List<String>> genuine = signed(BODY, "whsec_1");
        byte[] body = BODY.getBytes(UTF_8);
        assertEquals("e-1", verifier.verify(body, name -> values(genuine, name)).id());
        var refusal = assertThrows(
                WebhookException.class,
                () -> verifier.verify(body, name -> name.equals("PesaPost-Event-Id")
                        ? List.of("e-1", "e-1")
                        : values(genuine, name)));
        assertEquals("missing_header", refusal.code());
    }

    /** Looks up a header as a servlet does. */
    private static List<String> values(Map<String, List<String>> headers, String name) {
        return headers.entrySet().stream()
                .filter(header -> header.getKey().equalsIgnoreCase(name))
                .flatMap(header -> header.getValue().stream())
                .toList();
    }

    @Test
    void theHandlerServesTheJdksOwnServer() throws Exception {
        try (TestService service = new TestService()) {
            service.server.createContext("/webhooks", new WebhookHandler(receiver));
            assertEquals(204, posted(service, BODY, signed(BODY, "whsec_1")));
            assertEquals(400, posted(service, BODY, Map.of()));
            String longer = " ".repeat(64 * 1024) + BODY;
            assertEquals(413, posted(service, longer, signed(longer, "whsec_1")));
            assertEquals(List.of("e-1"), events);
        }
    }

    private static int posted(TestService service, String body, Map<String, List<String>> headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(service.url() + "/webhooks"))
                .POST(HttpRequest.BodyPublishers.ofString(body));
        headers.forEach((name, values) -> request.header(name, values.get(0)));
        return HttpClient.newHttpClient()
                .send(request.build(), HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }
}
