package com.pesapost;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.Signature;
import java.util.Base64;
import java.util.HexFormat;

/** Makes the signature of a request (AUTH-11 to AUTH-13). */
final class Signing {
    private Signing() {}

    /**
     * The parts that a signature covers.
     *
     * @param method the method
     * @param rawPath the path as sent
     * @param rawQuery the query as sent
     * @param body the bytes as sent
     * @param nonce the nonce
     * @param timestamp Unix seconds
     */
    record Request(String method, String rawPath, String rawQuery, byte[] body, String nonce, String timestamp) {}

    /** Returns the six lines of AUTH-11. Throws IllegalArgumentException if the query is malformed. */
    static String stringToSign(Request request) {
        return String.join(
                "\n",
                request.method(),
                request.rawPath(),
                Query.canonical(request.rawQuery()),
                HexFormat.of().formatHex(sha256(request.body())),
                request.nonce(),
                request.timestamp());
    }

    /** Returns RSASSA-PKCS1-v1_5 with SHA-256 over the text's UTF-8, in standard base64. */
    static String sign(PrivateKey key, String text) {
        try {
            Signature signature = Signature.getInstance("SHA256withRSA");
            signature.initSign(key);
            signature.update(Utf8.bytes(text));
            return Base64.getEncoder().encodeToString(signature.sign());
        } catch (GeneralSecurityException unusable) {
            throw new IllegalStateException("the private key cannot sign", unusable);
        }
    }

    private static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException("this Java has no SHA-256", missing);
        }
    }
}
