package com.pesapost;

/**
 * A new collection or payout: the body of POST /api/v4/collections and /api/v4/payouts.
 *
 * @param accountNo the merchant's account
 * @param phone the customer's number, such as 254712345678
 * @param amountMinor the amount
 * @param currency the account's currency, such as KES
 * @param channel the rail, such as mpesa
 * @param reference the merchant's own reference, unique for ever
 */
public record NewCollection(
        String accountNo, String phone, Amount amountMinor, String currency, String channel, String reference) {
    Body body() {
        return new Body()
                .required("account_no", accountNo)
                .required("phone", phone)
                .required("amount_minor", amountMinor)
                .required("currency", currency)
                .required("channel", channel)
                .required("reference", reference);
    }
}
