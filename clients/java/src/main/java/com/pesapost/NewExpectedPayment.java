package com.pesapost;

/**
 * A payment that is expected without a push: the body of POST /api/v4/expected-payments.
 *
 * @param accountNo the merchant's account
 * @param amountMinor the amount
 * @param currency the account's currency, such as KES
 * @param channel the rail, such as mpesa
 * @param reference the merchant's own reference, which the customer types: a capital letter and up to 8 capital
 *     letters, digits and . / -
 */
public record NewExpectedPayment(
        String accountNo, Amount amountMinor, String currency, String channel, String reference) {
    Body body() {
        return new Body()
                .required("account_no", accountNo)
                .required("amount_minor", amountMinor)
                .required("currency", currency)
                .required("channel", channel)
                .required("reference", reference);
    }
}
