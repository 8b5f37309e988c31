package com.pesapost;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * A call of the API, before it is signed.
 *
 * @param method the method
 * @param path the path, percent-encoded
 * @param query the query in its canonical form
 * @param body the body; empty for none
 * @param headers headers of this call
 * @param deadline the time at which its last try must have ended
 */
record ApiCall(
        String method, String path, String query, byte[] body, Map<String, String> headers, Deadline deadline) {
    private static final String KEY = "Idempotency-Key";

    static ApiCall get(String path, List<Query.Parameter> query, ReadOption... options) {
        Map<String, String> headers = new LinkedHashMap<>();
        for (ReadOption option : options) {
            headers.put(option.header(), option.position());
        }
        return new ApiCall("GET", path, Query.of(query), new byte[0], headers, Deadline.NEVER);
    }

    static ApiCall get(String path, ReadOption... options) {
        return get(path, List.of(), options);
    }

    /** Makes a call whose tries all have the same key and the same bytes (SDK-4). */
    static ApiCall post(String path, Body body, PostOption... options) {
        String key = UUID.randomUUID().toString();
        for (PostOption option : options) {
            key = option.key();
        }
        Map<String, String> headers = Map.of("Content-Type", "application/json", KEY, key);
        return new ApiCall("POST", path, "", Json.write(body.members()), headers, Deadline.NEVER);
    }

    ApiCall before(Deadline other) {
        return new ApiCall(method, path, query, body, headers, other);
    }

    CallFacts facts(int attempts) {
        return new CallFacts(method + " " + path, attempts, headers.get(KEY));
    }
}
