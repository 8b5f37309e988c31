package com.pesapost;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Map;

/** Opens package-private parts of the client to the driver. */
public final class Inside {
    private Inside() {}

    @SuppressWarnings("unchecked")
    public static Map<String, Object> parse(String line) {
        return (Map<String, Object>) Json.parse(line.getBytes(UTF_8));
    }

    public static String write(Map<String, ?> members) {
        return new String(Json.write(members), UTF_8);
    }

    public static Map<String, Object> sign(Map<?, ?> args, byte[] body) {
        String query = (String) args.get("raw_query");
        String text = Signing.stringToSign(new Signing.Request(
                (String) args.get("method"),
                (String) args.get("raw_path"),
                query,
                body,
                (String) args.get("nonce"),
                (String) args.get("timestamp")));
        String pem = (String) args.get("private_key_pem");
        return Map.of(
                "canonical_query", Query.canonical(query),
                "string_to_sign", text,
                "signature", Signing.sign(PrivateKeys.read(pem), text));
    }
}
