package com.pesapost;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Map;

/** Opens to the driver what the client's package keeps to itself. */
public final class Inside {
    private Inside() {}

    @SuppressWarnings("unchecked")
    public static Map<String, Object> parse(String line) {
        return (Map<String, Object>) Json.parse(line.getBytes(UTF_8));
    }

    public static String write(Map<String, ?> members) {
        return new String(Json.write(members), UTF_8);
    }

    public static Map<String, Object> sign(
            String method, String path, String query, byte[] body, String nonce, String timestamp, String pem) {
        String text = Signing.stringToSign(new Signing.Request(method, path, query, body, nonce, timestamp));
        return Map.of(
                "canonical_query", Query.canonical(query),
                "string_to_sign", text,
                "signature", Signing.sign(PrivateKeys.read(pem), text));
    }
}
