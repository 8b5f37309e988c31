package com.pesapost;

/**
 * A new refund of a collection.
 *
 * @param reference the merchant's own reference of the refund, unique among payouts and refunds for ever
 * @param amountMinor the amount; null for everything that is left
 * @param phone the number that paid, which a part needs; null for a whole
 */
public record NewRefund(String reference, Amount amountMinor, String phone) {
    /**
     * Makes a refund of everything that is left.
     *
     * @param reference the merchant's own reference of the refund
     * @return the refund
     */
    public static NewRefund whole(String reference) {
        return new NewRefund(reference, null, null);
    }

    /**
     * Makes a refund of a part. The rail sends a part to the number, because it cannot reverse one.
     *
     * @param reference the merchant's own reference of the refund
     * @param amountMinor the amount
     * @param phone the number that paid
     * @return the refund
     * @throws IllegalArgumentException if the amount is null
     */
    public static NewRefund part(String reference, Amount amountMinor, String phone) {
        // Without the amount, everything would be given back.
        if (amountMinor == null) {
            throw new IllegalArgumentException("amountMinor is missing");
        }
        return new NewRefund(reference, amountMinor, phone);
    }

    Body body() {
        return new Body()
                .required("reference", reference)
                .optional("amount_minor", amountMinor)
                .optional("phone", phone);
    }
}
