import com.pesapost.DifferentItemException;
import com.pesapost.ErrorKind;
import com.pesapost.Inside;
import com.pesapost.NotSettledException;
import com.pesapost.PesaPostException;
import com.pesapost.WebhookException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Runs the conformance suite's requests with the Java client (clients/conformance/README.md). */
final class Driver {
    private static final PrintStream OUTPUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);

    private Driver() {}

    public static void main(String[] words) throws IOException {
        // Tests compare the codes with those of the other clients.
        if (words.length > 0) {
            Map<String, Object> kinds = new LinkedHashMap<>();
            ErrorKind.byCode().forEach((code, kind) -> kinds.put(code, nameOf(kind)));
            OUTPUT.println(Inside.write(kinds));
            return;
        }
        ExecutorService threads = Executors.newCachedThreadPool();
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            Map<String, Object> request = Inside.parse(line);
            threads.submit(() -> OUTPUT.println(Inside.write(answer(request))));
        }
        threads.shutdown();
    }

    private static Map<String, Object> answer(Map<String, Object> request) {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("id", request.get("id"));
        try {
            Object result = Operations.run((String) request.get("op"), new Args(request.get("args")));
            answer.put("ok", Digits.written(result));
        } catch (RuntimeException failure) {
            answer.put("error", factsOf(failure));
        }
        return answer;
    }

    private static Map<String, Object> factsOf(RuntimeException failure) {
        if (failure instanceof PesaPostException call) {
            return factsOf(call);
        }
        if (failure instanceof WebhookException webhook) {
            return Map.of("type", "webhook", "code", webhook.code());
        }
        String type = failure instanceof IllegalArgumentException ? "mistake" : "defect";
        return Map.of("type", type, "message", failure.toString());
    }

    private static Map<String, Object> factsOf(PesaPostException failure) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("type", "call");
        facts.put("message", failure.getMessage());
        facts.put("code", failure.code());
        facts.put("kind", nameOf(failure.kind()));
        facts.put("status", failure.status() == 0 ? null : failure.status());
        facts.put("detail", failure.detail());
        facts.put("request_id", failure.requestId());
        facts.put("retry_after_seconds", failure.retryAfter() == null ? null : failure.retryAfter().toSeconds());
        facts.put("wire_code", failure.wireCode());
        facts.put("call", failure.call());
        facts.put("attempts", failure.attempts());
        facts.put("idempotency_key", failure.idempotencyKey());
        if (failure instanceof DifferentItemException different) {
            facts.put("reference", different.reference());
            facts.put("differs", different.differs());
            facts.put("existing", Digits.written(different.existing()));
        }
        if (failure instanceof NotSettledException unsettled) {
            facts.put("last", Digits.written(unsettled.last()));
        }
        facts.values().removeIf(value -> value == null);
        return facts;
    }

    private static String nameOf(ErrorKind kind) {
        return kind.name().toLowerCase(Locale.ROOT);
    }
}
