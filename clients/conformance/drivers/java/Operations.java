import com.pesapost.Inside;
import com.pesapost.PesaPost;
import com.pesapost.RetryPolicy;
import com.pesapost.WebhookVerifier;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** The operations of the suite. */
final class Operations {
    private static final Map<String, PesaPost> CLIENTS = new ConcurrentHashMap<>();

    private Operations() {}

    static Object run(String name, Args args) {
        return switch (name) {
            case "client" -> makeClient(args);
            case "call" -> Calls.run(CLIENTS.get(args.text("client")), args);
            case "sign" -> Inside.sign((Map<?, ?>) args.given(), args.bytes("body_base64"));
            case "verify_webhook" -> verifyWebhook(args);
            default -> throw new IllegalStateException("there is no operation " + name);
        };
    }

    private static Object makeClient(Args args) {
        Args retries = new Args(args.has("retries") ? args.get("retries") : Map.of());
        RetryPolicy usual = RetryPolicy.DEFAULT;
        RetryPolicy policy = new RetryPolicy(
                retries.has("max") ? retries.integer("max") : usual.maxRetries(),
                retries.milliseconds("base_delay_ms", usual.baseDelay()),
                retries.milliseconds("max_delay_ms", usual.maxDelay()));
        PesaPost client = PesaPost.builder()
                .baseUrl(args.text("base_url"))
                .clientId(args.text("client_id"))
                .clientSecret(args.text("client_secret"))
                .privateKey(args.text("private_key_pem"))
                .timeout(args.milliseconds("timeout_ms", Duration.ofSeconds(20)))
                .retries(policy)
                .clock(args.clock("now_ms"))
                .build();
        CLIENTS.put(args.text("client"), client);
        return Map.of();
    }

    private static Object verifyWebhook(Args args) {
        List<?> secrets = args.get("secrets") instanceof String one ? List.of(one) : args.list("secrets");
        Map<String, List<String>> headers = ((Map<?, ?>) args.get("headers"))
                .entrySet().stream()
                        .collect(Collectors.toMap(
                                header -> (String) header.getKey(), header -> List.of((String) header.getValue())));
        WebhookVerifier verifier =
                new WebhookVerifier(secrets.toArray(String[]::new)).withClock(args.clock("now_ms"));
        if (args.has("tolerance_seconds")) {
            verifier = verifier.withTolerance(Duration.ofSeconds(args.integer("tolerance_seconds")));
        }
        return verifier.verify(args.bytes("payload_base64"), headers);
    }
}
