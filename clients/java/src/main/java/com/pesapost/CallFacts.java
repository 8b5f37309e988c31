package com.pesapost;

import java.io.Serializable;

/**
 * Facts of a call, beside the reason of its failure.
 *
 * @param name the method and the path
 * @param attempts the number of times that the request was sent
 * @param idempotencyKey the key; null if the call has none
 */
record CallFacts(String name, int attempts, String idempotencyKey) implements Serializable {
    /** A failure that is not yet a call's. */
    static final CallFacts NONE = new CallFacts("", 0, null);
}
