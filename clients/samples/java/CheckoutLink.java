import static java.nio.charset.StandardCharsets.UTF_8;

import com.pesapost.PesaPost;
import java.net.URLEncoder;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

final class CheckoutLink {
    private CheckoutLink() {}

    static void run(PesaPost client) throws GeneralSecurityException {
        // sample
        var env = System.getenv();
        var link = new TreeMap<>(Map.of(
                "account_no", env.get("ACCOUNT_NO"),
                "amount_minor", "25000", // KES 250.00
                "currency", "KES",
                "reference", "ORDER-" + UUID.randomUUID(),
                "return_url", "https://shop.example/paid",
                "key_id", env.get("CHECKOUT_KEY_ID"),
                "nonce", UUID.randomUUID().toString(),
                "timestamp", "" + Instant.now().getEpochSecond()));
        // RFC 3986 differs from Java in three characters.
        var query = link.entrySet().stream()
                .map(each -> each.getKey() + "="
                        + URLEncoder.encode(each.getValue(), UTF_8)
                                .replace("+", "%20")
                                .replace("*", "%2A")
                                .replace("%7E", "~"))
                .collect(Collectors.joining("&"));
        var mac = Mac.getInstance("HmacSHA256");
        var secret = env.get("CHECKOUT_SECRET").getBytes(UTF_8);
        mac.init(new SecretKeySpec(secret, mac.getAlgorithm()));
        var hash = HexFormat.of()
                .formatHex(mac.doFinal(query.getBytes(UTF_8)));
        System.out.println(env.get("BASE_URL")
                + "/checkout?" + query + "&hash=" + hash);
        // end
    }
}
