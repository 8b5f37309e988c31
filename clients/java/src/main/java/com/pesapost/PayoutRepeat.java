package com.pesapost;

/**
 * Values of a payout that a decision repeats, to be sure that it is about the intended one.
 *
 * @param phone the customer's number; null to repeat none
 * @param amountMinor the amount; null to repeat none
 */
public record PayoutRepeat(String phone, Amount amountMinor) {
    static final PayoutRepeat NONE = new PayoutRepeat(null, null);

    Body body() {
        return new Body()
                .optional("phone", phone)
                .optional("amount_minor", amountMinor);
    }
}
