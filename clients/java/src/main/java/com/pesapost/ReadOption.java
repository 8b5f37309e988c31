package com.pesapost;

import java.util.regex.Pattern;

/** An option of a call that reads. */
public final class ReadOption {
    static final Pattern VISIBLE_ASCII = Pattern.compile("[\\x21-\\x7e]{1,255}");

    private final String header;
    private final String position;

    private ReadOption(String header, String position) {
        if (!VISIBLE_ASCII.matcher(position).matches()) {
            throw new IllegalArgumentException("a position must be the ledgerPosition of an answer");
        }
        this.header = header;
        this.position = position;
    }

    /**
     * Asks for an answer that is at least as new as a position, to read one's own writes.
     *
     * @param position the ledgerPosition of an earlier answer
     * @return the option
     * @throws IllegalArgumentException if the position is no position
     */
    public static ReadOption minPosition(String position) {
        return new ReadOption("X-PP-Min-Position", position);
    }

    /**
     * Asks for a list or a balance as it was at a position. Sums and balances of one position agree.
     *
     * @param position the ledgerPosition of an earlier answer
     * @return the option
     * @throws IllegalArgumentException if the position is no position
     */
    public static ReadOption atPosition(String position) {
        return new ReadOption("X-PP-At-Position", position);
    }

    String header() {
        return header;
    }

    String position() {
        return position;
    }
}
