package com.pesapost;

/** A text is not JSON, or a member has another type than the API's. */
final class MalformedJson extends RuntimeException {
    private static final long serialVersionUID = 1L;

    MalformedJson(String message) {
        super(message);
    }
}
