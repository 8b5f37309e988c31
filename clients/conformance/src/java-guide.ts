/** Returns the program of Java's guide: its examples as they are printed, and the names that they use. */
export function guideOfJava([
  errors = '',
  payments = '',
  webhooks = '',
]: readonly string[]): string {
  return [names, errors, payments, webhooks, deliver].join('\n');
}

const names = `
import com.pesapost.*;
import com.sun.net.httpserver.HttpServer;
import java.net.*;
import java.net.http.*;
import java.time.*;
import java.util.*;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

class Guide {
    static final Map<String, String> env = System.getenv();
    static final String accountNo = env.get("PESAPOST_ACCOUNT_NO");

    static PesaPost client(String prefix) {
        return PesaPost.builder().baseUrl(env.get("PESAPOST_URL"))
                .clientId(env.get(prefix + "CLIENT_ID")).clientSecret(env.get(prefix + "CLIENT_SECRET"))
                .privateKey(env.get(prefix + "PRIVATE_KEY")).build();
    }

    static NewCollection item(String reference, long minor) {
        return new NewCollection(accountNo, "254712345678", Amount.ofMinor(minor), "KES", "mpesa", reference);
    }

    public static void main(String[] words) throws Exception {
        var client = client("PESAPOST_");
        var secondHolder = client("PESAPOST_CHECKER_");
        client.collections().create(item("INV-3001", 1000));
        client.collections().waitUntilSettled("INV-3001");
        var order = item("INV-3001", 9900);
        var payout = item("GUIDE-JAVA-P", 1000);
        var paid1 = new NewPayoutBatch.Item("GUIDE-JAVA-1", "254712345678", Amount.ofMinor(1000));
        var batch = new NewPayoutBatch("SALARIES-13", accountNo, "KES", "mpesa", List.of(paid1));
        var newSecret = "whsec_2";
        var oldSecret = "whsec_1";
        var port = 0;
`;

/** Delivers a webhook that is signed with the old secret, and one that is not signed. */
const deliver = `
        var body = "{\\"id\\":\\"e-1\\",\\"type\\":\\"collection.completed\\",\\"data\\":{\\"reference\\":\\"INV-3001\\"}}";
        var now = Long.toString(Instant.now().getEpochSecond());
        var mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec("whsec_1".getBytes(), "HmacSHA256"));
        var code = HexFormat.of().formatHex(mac.doFinal(("e-1." + now + "." + body).getBytes()));
        var url = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/webhooks");
        for (var signature : List.of("v4=" + code, "v4=" + "0".repeat(64))) {
            var request = HttpRequest.newBuilder(url).POST(HttpRequest.BodyPublishers.ofString(body))
                    .header("PesaPost-Event-Id", "e-1").header("PesaPost-Timestamp", now)
                    .header("PesaPost-Signature", signature).build();
            System.out.println(HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.discarding()).statusCode());
        }
        server.stop(0);
    }
}
`;
