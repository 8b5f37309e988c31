package com.pesapost;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads and writes JSON (RFC 8259) without ever making a {@code double}.
 *
 * <p>A member whose name ends in {@code _minor} is an {@link Amount}, also if its digits are in quotes. Other integers
 * are {@link Long} or {@link BigInteger}, and other numbers {@link BigDecimal}. Read values cannot be changed.
 */
final class Json {
    /** A deeper text would only be an attack on the stack. */
    private static final int MAX_DEPTH = 100;

    private static final Pattern NUMBER =
            Pattern.compile("(-?(?:0|[1-9][0-9]*+))(\\.[0-9]++)?([eE][+-]?[0-9]++)?");

    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    /** Throws MalformedJson. */
    static Object parse(byte[] text) {
        Json reader = new Json(new String(text, UTF_8));
        Object value = reader.value("", 0);
        reader.skipSpace();
        if (reader.at < reader.text.length()) {
            throw reader.malformed();
        }
        return value;
    }

    private Object value(String name, int depth) {
        if (depth > MAX_DEPTH) {
            throw malformed();
        }
        skipSpace();
        return switch (peek()) {
            case '{' -> object(depth);
            case '[' -> list(depth);
            case '"' -> withAmount(name, string());
            case 't' -> word("true", Boolean.TRUE);
            case 'f' -> word("false", Boolean.FALSE);
            case 'n' -> word("null", null);
            default -> number(name);
        };
    }

    private Map<String, Object> object(int depth) {
        Map<String, Object> members = new LinkedHashMap<>();
        at++;
        if (!endsWith('}')) {
            do {
                skipSpace();
                String name = string();
                skipSpace();
                expect(':');
                members.put(name, value(name, depth + 1));
            } while (continues('}'));
        }
        return Collections.unmodifiableMap(members);
    }

    private List<Object> list(int depth) {
        List<Object> items = new ArrayList<>();
        at++;
        if (!endsWith(']')) {
            do {
                items.add(value("", depth + 1));
            } while (continues(']'));
        }
        return Collections.unmodifiableList(items);
    }

    private boolean endsWith(char end) {
        skipSpace();
        boolean is = peek() == end;
        if (is) {
            at++;
        }
        return is;
    }

    /** Returns true after a comma, and false after the end. */
    private boolean continues(char end) {
        if (endsWith(end)) {
            return false;
        }
        expect(',');
        return true;
    }

    private Object word(String word, Object value) {
        if (!text.startsWith(word, at)) {
            throw malformed();
        }
        at += word.length();
        return value;
    }

    private Object number(String name) {
        Matcher number = NUMBER.matcher(text).region(at, text.length());
        if (!number.lookingAt()) {
            throw malformed();
        }
        at = number.end();
        if (number.group(2) != null || number.group(3) != null) {
            return decimal(number.group());
        }
        BigInteger integer = new BigInteger(number.group());
        if (name.endsWith("_minor")) {
            return new Amount(integer);
        }
        return integer.bitLength() < Long.SIZE ? (Object) integer.longValue() : integer;
    }

    private BigDecimal decimal(String digits) {
        try {
            return new BigDecimal(digits);
        } catch (NumberFormatException tooLarge) {
            throw malformed();
        }
    }

    private static Object withAmount(String name, String text) {
        if (name.endsWith("_minor") && text.matches("-?[0-9]+")) {
            return new Amount(new BigInteger(text));
        }
        return text;
    }

    private String string() {
        expect('"');
        StringBuilder read = new StringBuilder();
        while (peek() != '"') {
            char next = text.charAt(at++);
            if (next < ' ') {
                throw malformed();
            }
            read.append(next == '\\' ? escaped() : next);
        }
        at++;
        return read.toString();
    }

    private char escaped() {
        char kind = peek();
        at++;
        return switch (kind) {
            case '"', '\\', '/' -> kind;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> unicode();
            default -> throw malformed();
        };
    }

    private char unicode() {
        String digits = text.substring(at, Math.min(at + 4, text.length()));
        if (!digits.matches("[0-9a-fA-F]{4}")) {
            throw malformed();
        }
        at += digits.length();
        return (char) Integer.parseInt(digits, 16);
    }

    private void expect(char wanted) {
        if (peek() != wanted) {
            throw malformed();
        }
        at++;
    }

    private char peek() {
        if (at >= text.length()) {
            throw malformed();
        }
        return text.charAt(at);
    }

    private void skipSpace() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    /** The text may have secrets, so the message has none of it. */
    private MalformedJson malformed() {
        return new MalformedJson("not JSON at character " + at);
    }

    /** Writes text, integers, amounts, lists and maps. */
    static byte[] write(Map<String, ?> members) {
        StringBuilder written = new StringBuilder();
        write(members, written);
        return Utf8.bytes(written.toString());
    }

    private static void write(Object value, StringBuilder to) {
        if (value instanceof Map<?, ?> members) {
            writeMembers(members, to);
        } else if (value instanceof List<?> items) {
            to.append('[');
            for (Iterator<?> each = items.iterator(); each.hasNext(); ) {
                write(each.next(), to);
                to.append(each.hasNext() ? "," : "");
            }
            to.append(']');
        } else if (value instanceof String text) {
            writeString(text, to);
        } else {
            to.append(value);
        }
    }

    private static void writeMembers(Map<?, ?> members, StringBuilder to) {
        to.append('{');
        String separator = "";
        for (Map.Entry<?, ?> member : members.entrySet()) {
            to.append(separator);
            writeString((String) member.getKey(), to);
            to.append(':');
            write(member.getValue(), to);
            separator = ",";
        }
        to.append('}');
    }

    private static void writeString(String text, StringBuilder to) {
        to.append('"');
        for (int index = 0; index < text.length(); index++) {
            char next = text.charAt(index);
            if (next == '"' || next == '\\') {
                to.append('\\').append(next);
            } else if (next < ' ') {
                to.append(String.format("\\u%04x", (int) next));
            } else {
                to.append(next);
            }
        }
        to.append('"');
    }
}
