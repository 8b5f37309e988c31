import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;

import com.pesapost.WebhookReceiver;
import com.pesapost.WebhookVerifier;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.request.MockHttpServletRequestBuilder;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;

class SpringTest {
    private static final String BODY =
            "{\"id\":\"e-1\",\"type\":\"collection.completed\",\"data\":{\"reference\":\"É-1\"}}";

    private final List<String> references = new ArrayList<>();
    private final MockMvc spring = MockMvcBuilders.standaloneSetup(new PaymentWebhooks(new WebhookReceiver(
                    new WebhookVerifier("whsec_1"), event -> references.add(event.data().reference()))))
            .build();

    @Test
    void theControllerAnswersByTheReceiver() throws Exception {
        String now = Long.toString(Instant.now().getEpochSecond());
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec("whsec_1".getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
        byte[] code = mac.doFinal(("e-1." + now + "." + BODY).getBytes(StandardCharsets.UTF_8));
        MockHttpServletRequestBuilder signed = request(BODY)
                .header("PesaPost-Event-Id", "e-1")
                .header("PesaPost-Timestamp", now)
                .header("PesaPost-Signature", "v4=" + HexFormat.of().formatHex(code));
        assertEquals(204, status(signed));
        assertEquals(400, status(request(BODY)));
        assertEquals(413, status(request(" ".repeat(64 * 1024 + 1))));
        assertEquals(List.of("É-1"), references);
    }

    private static MockHttpServletRequestBuilder request(String body) {
        return post("/webhooks").contentType("application/json").content(body.getBytes(StandardCharsets.UTF_8));
    }

    private int status(MockHttpServletRequestBuilder request) throws Exception {
        return spring.perform(request).andReturn().getResponse().getStatus();
    }
}
