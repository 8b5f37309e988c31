package com.pesapost;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Reads the members of an answer by their type. A member that is absent or null is null, false or 0.
 *
 * @param all every member by its name in JSON
 */
record Members(Map<String, Object> all) {
    /** Throws MalformedJson if the text is no JSON object. */
    static Members parse(byte[] text) {
        return of(Json.parse(text));
    }

    @SuppressWarnings("unchecked")
    private static Members of(Object value) {
        if (value instanceof Map<?, ?> members) {
            return new Members((Map<String, Object>) members);
        }
        throw new MalformedJson("not a JSON object");
    }

    String text(String name) {
        return member(name, String.class);
    }

    Amount amount(String name) {
        return member(name, Amount.class);
    }

    boolean flag(String name) {
        return Boolean.TRUE.equals(member(name, Boolean.class));
    }

    long integer(String name) {
        Long value = member(name, Long.class);
        return value == null ? 0 : value;
    }

    /** Reads a time of RFC 3339. */
    Instant time(String name) {
        String text = text(name);
        try {
            return text == null ? null : Instant.parse(text);
        } catch (DateTimeParseException malformed) {
            throw new MalformedJson(name + " is no time");
        }
    }

    /** Reads an object as the record that {@code shape} makes; null if it is absent. */
    <T> T object(String name, Function<Members, T> shape) {
        Object value = all.get(name);
        return value == null ? null : shape.apply(of(value));
    }

    /** Reads a list of objects, which must be present. */
    <T> List<T> list(String name, Function<Members, T> shape) {
        if (!(all.get(name) instanceof List<?> items)) {
            throw new MalformedJson(name + " is no list");
        }
        List<T> read = new ArrayList<>(items.size());
        for (Object item : items) {
            read.add(shape.apply(of(item)));
        }
        return List.copyOf(read);
    }

    /** Reads an object whose members are all of one shape. */
    <T> Map<String, T> map(String name, Function<Members, T> shape) {
        Map<String, T> read = new LinkedHashMap<>();
        Members object = object(name, each -> each);
        if (object != null) {
            object.all.forEach((key, value) -> read.put(key, shape.apply(of(value))));
        }
        return Map.copyOf(read);
    }

    private <T> T member(String name, Class<T> type) {
        Object value = all.get(name);
        if (value != null && !type.isInstance(value)) {
            throw new MalformedJson(name + " is no " + type.getSimpleName());
        }
        return type.cast(value);
    }
}
