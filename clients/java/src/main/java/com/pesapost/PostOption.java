package com.pesapost;

/** An option of a call that changes something. */
public final class PostOption {
    private final String key;

    private PostOption(String key) {
        this.key = key;
    }

    /**
     * Sets the key of all tries of a call. Without it, the client makes a random one (SDK-4).
     *
     * @param key 1 to 255 visible ASCII characters
     * @return the option
     * @throws IllegalArgumentException if the key is another text
     */
    public static PostOption idempotencyKey(String key) {
        if (!ReadOption.VISIBLE_ASCII.matcher(key).matches()) {
            throw new IllegalArgumentException("an idempotency key must be 1 to 255 visible ASCII characters");
        }
        return new PostOption(key);
    }

    String key() {
        return key;
    }
}
