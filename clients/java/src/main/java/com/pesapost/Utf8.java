package com.pesapost;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;

/** Strict UTF-8. {@code String.getBytes} would replace half a surrogate pair by a question mark. */
final class Utf8 {
    private Utf8() {}

    /** Throws IllegalArgumentException if the text cannot be encoded. */
    static byte[] bytes(String text) {
        try {
            ByteBuffer encoded = UTF_8.newEncoder().encode(CharBuffer.wrap(text));
            byte[] bytes = new byte[encoded.remaining()];
            encoded.get(bytes);
            return bytes;
        } catch (CharacterCodingException unpaired) {
            throw new IllegalArgumentException("a text has half a surrogate pair and cannot be sent");
        }
    }

    /** Throws IllegalArgumentException if the bytes are not UTF-8. */
    static String text(byte[] bytes) {
        try {
            return UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException malformed) {
            throw new IllegalArgumentException("not UTF-8");
        }
    }
}
