package com.pesapost;

/**
 * Values of a batch that a decision repeats, to be sure that it is about the intended one.
 *
 * @param count the number of payouts; null to repeat none
 * @param amountMinor the sum; null to repeat none
 */
public record PayoutBatchRepeat(Integer count, Amount amountMinor) {
    static final PayoutBatchRepeat NONE = new PayoutBatchRepeat(null, null);

    Body body() {
        return new Body()
                .optional("count", count)
                .optional("amount_minor", amountMinor);
    }
}
