package com.pesapost;

import java.util.LinkedHashMap;
import java.util.Map;

/** The members of a request, in the order in which they are sent. */
final class Body {
    private final Map<String, Object> members = new LinkedHashMap<>();

    /** Throws IllegalArgumentException if the value is null. */
    Body required(String name, Object value) {
        if (value == null) {
            throw new IllegalArgumentException(name + " is missing");
        }
        return optional(name, value);
    }

    Body optional(String name, Object value) {
        if (value != null) {
            members.put(name, value);
        }
        return this;
    }

    Map<String, Object> members() {
        return members;
    }
}
