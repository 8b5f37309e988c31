package com.pesapost;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.interfaces.RSAPrivateKey;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads RSA keys of 2048 bits or more, as PEM in PKCS#8 or PKCS#1. */
final class PrivateKeys {
    private static final int MIN_BITS = 2048;
    private static final String MAKE_NEW =
            "; make one with: openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out private.pem";

    private static final Pattern PEM = Pattern.compile(
            "-----BEGIN ((?:RSA |EC )?)PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END \\1PRIVATE KEY-----");

    /** The version 0 and the algorithm rsaEncryption, which PKCS#8 has before the key of PKCS#1. */
    private static final byte[] RSA_HEADER = {
        0x02, 0x01, 0x00, 0x30, 0x0d, 0x06, 0x09, 0x2a, (byte) 0x86, 0x48, (byte) 0x86, (byte) 0xf7, 0x0d, 0x01, 0x01,
        0x01, 0x05, 0x00
    };

    private static final int SEQUENCE = 0x30;
    private static final int OCTET_STRING = 0x04;
    private static final int TWO_BYTES = 0x82;

    private PrivateKeys() {}

    /**
     * Reads a PEM. Line feeds may be written as {@code \n}, as in environment variables. Throws
     * IllegalArgumentException, which has no part of the key.
     */
    static PrivateKey read(String pem) {
        String text = pem.replace("\\r", "").replace("\\n", "\n");
        if (text.contains("ENCRYPTED")) {
            throw refusal("is encrypted");
        }
        Matcher block = PEM.matcher(text);
        if (!block.find()) {
            throw refusal("is no private key in PEM");
        }
        byte[] der = decode(block.group(2));
        return read(block.group(1).equals("RSA ") ? toPkcs8(der) : der);
    }

    private static byte[] decode(String base64) {
        try {
            return Base64.getDecoder().decode(base64.replaceAll("\\s", ""));
        } catch (IllegalArgumentException damaged) {
            throw refusal("is no private key in PEM");
        }
    }

    private static PrivateKey read(byte[] pkcs8) {
        PKCS8EncodedKeySpec encoded = new PKCS8EncodedKeySpec(pkcs8);
        if (keyOf("RSA", encoded) instanceof RSAPrivateKey key) {
            if (key.getModulus().bitLength() < MIN_BITS) {
                throw refusal("has fewer than 2048 bits");
            }
            return key;
        }
        boolean isOther = List.of("EC", "Ed25519", "DSA").stream().anyMatch(each -> keyOf(each, encoded) != null);
        throw refusal(isOther ? "is not an RSA key" : "is no private key in PEM");
    }

    /** Returns null if the key is not of that algorithm. */
    private static PrivateKey keyOf(String algorithm, PKCS8EncodedKeySpec encoded) {
        try {
            return KeyFactory.getInstance(algorithm).generatePrivate(encoded);
        } catch (InvalidKeySpecException other) {
            return null;
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException("this Java has no " + algorithm, missing);
        }
    }

    private static byte[] toPkcs8(byte[] pkcs1) {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        content.writeBytes(RSA_HEADER);
        content.writeBytes(element(OCTET_STRING, pkcs1));
        return element(SEQUENCE, content.toByteArray());
    }

    /** Encodes an element of DER. The length of a key of 2048 bits or more has two bytes. */
    private static byte[] element(int tag, byte[] content) {
        return ByteBuffer.allocate(2 + Short.BYTES + content.length)
                .put((byte) tag)
                .put((byte) TWO_BYTES)
                .putShort((short) content.length)
                .put(content)
                .array();
    }

    private static IllegalArgumentException refusal(String fault) {
        return new IllegalArgumentException("privateKey " + fault + MAKE_NEW);
    }
}
