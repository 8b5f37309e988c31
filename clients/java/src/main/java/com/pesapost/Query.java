package com.pesapost;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The query of a request, in the one spelling that both ends sign (AUTH-12). */
final class Query {
    private static final String UNRESERVED = "-._~";
    private static final Pattern VISIBLE_ASCII = Pattern.compile("[\\x21-\\x7e]*");
    private static final Pattern BROKEN_ENCODING = Pattern.compile("%(?![0-9a-fA-F]{2})");

    private Query() {}

    /**
     * A parameter, not encoded.
     *
     * @param name its name
     * @param value its value
     */
    record Parameter(String name, String value) {}

    /** Percent-encodes by RFC 3986: only unreserved characters are kept. */
    static String encode(String text) {
        StringBuilder encoded = new StringBuilder();
        for (byte each : Utf8.bytes(text)) {
            if (isUnreserved((char) each)) {
                encoded.append((char) each);
            } else {
                encoded.append(String.format("%%%02X", each));
            }
        }
        return encoded.toString();
    }

    private static boolean isUnreserved(char each) {
        return each >= 'a' && each <= 'z'
                || each >= 'A' && each <= 'Z'
                || each >= '0' && each <= '9'
                || UNRESERVED.indexOf(each) >= 0;
    }

    static String of(List<Parameter> parameters) {
        return parameters.stream()
                .map(each -> new Parameter(encode(each.name()), encode(each.value())))
                .sorted(Comparator.comparing(Parameter::name).thenComparing(Parameter::value))
                .map(each -> each.name() + "=" + each.value())
                .collect(Collectors.joining("&"));
    }

    /** Returns the canonical spelling of a query as sent. Throws IllegalArgumentException if it is malformed. */
    static String canonical(String rawQuery) {
        List<Parameter> parameters = new ArrayList<>();
        for (String segment : rawQuery.split("&")) {
            if (segment.isEmpty()) {
                continue;
            }
            if (!VISIBLE_ASCII.matcher(segment).matches()) {
                throw new IllegalArgumentException("a query contains a character that must be percent-encoded");
            }
            int equals = segment.indexOf('=');
            String name = equals < 0 ? segment : segment.substring(0, equals);
            String value = equals < 0 ? "" : segment.substring(equals + 1);
            parameters.add(new Parameter(decode(name), decode(value)));
        }
        return of(parameters);
    }

    /** Keeps a plus sign, which {@code URLDecoder} would turn into a space. */
    private static String decode(String text) {
        if (BROKEN_ENCODING.matcher(text).find()) {
            throw new IllegalArgumentException("a query contains a broken percent-encoding");
        }
        ByteArrayOutputStream decoded = new ByteArrayOutputStream();
        byte[] bytes = text.getBytes(US_ASCII);
        for (int index = 0; index < bytes.length; index++) {
            if (bytes[index] == '%') {
                decoded.write(Integer.parseInt(text.substring(index + 1, index + 3), 16));
                index += 2;
            } else {
                decoded.write(bytes[index]);
            }
        }
        return Utf8.text(decoded.toByteArray());
    }
}
