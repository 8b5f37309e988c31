import static java.nio.charset.StandardCharsets.UTF_8;

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

/**
 * Prints a signed link to the checkout page for KES 250.00: {@code java CheckoutLink return-url}. It needs no client.
 */
final class CheckoutLink {
    private CheckoutLink() {}

    public static void main(String[] words) throws GeneralSecurityException {
        Map<String, String> order = Map.of(
                "account_no", Demo.setting("PESAPOST_ACCOUNT_NO"),
                "amount_minor", "25000",
                "currency", "KES",
                "reference", "SHOP-" + System.nanoTime(),
                "return_url", words[0]);
        System.out.println(link(Demo.setting("PESAPOST_URL"), order));
    }

    /** Make the link when the customer presses Pay: it is valid for 15 minutes. */
    static String link(String baseUrl, Map<String, String> order) throws GeneralSecurityException {
        Map<String, String> parameters = new TreeMap<>(order);
        parameters.put("key_id", Demo.setting("PESAPOST_CHECKOUT_KEY_ID"));
        parameters.put("nonce", UUID.randomUUID().toString());
        parameters.put("timestamp", Long.toString(Instant.now().getEpochSecond()));
        // The names need no encoding, and a sorted map has them in the order of the canonical query.
        String query = parameters.entrySet().stream()
                .map(parameter -> parameter.getKey() + "=" + encoded(parameter.getValue()))
                .collect(Collectors.joining("&"));
        return baseUrl + "/checkout?" + query + "&hash=" + hmac(query);
    }

    /** Encodes by RFC 3986, from which Java's forms differ in three characters. */
    private static String encoded(String text) {
        return URLEncoder.encode(text, UTF_8).replace("+", "%20").replace("*", "%2A").replace("%7E", "~");
    }

    private static String hmac(String text) throws GeneralSecurityException {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(Demo.setting("PESAPOST_CHECKOUT_SECRET").getBytes(UTF_8), mac.getAlgorithm()));
        return HexFormat.of().formatHex(mac.doFinal(text.getBytes(UTF_8)));
    }
}
