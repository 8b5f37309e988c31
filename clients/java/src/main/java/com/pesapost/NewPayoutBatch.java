package com.pesapost;

import java.util.List;

/**
 * Up to 1,000 payouts, asked for and decided as one: the body of POST /api/v4/payout-batches.
 *
 * @param reference the merchant's own reference of the batch
 * @param accountNo the account that pays
 * @param currency the account's currency, such as KES
 * @param channel the rail, such as mpesa
 * @param items the payouts
 */
public record NewPayoutBatch(String reference, String accountNo, String currency, String channel, List<Item> items) {
    /**
     * Copies the items.
     *
     * @param reference the merchant's own reference of the batch
     * @param accountNo the account that pays
     * @param currency the account's currency, such as KES
     * @param channel the rail, such as mpesa
     * @param items the payouts
     */
    public NewPayoutBatch {
        items = List.copyOf(items);
    }

    /**
     * One payout of a batch.
     *
     * @param reference the merchant's own reference of the payout, unique for ever
     * @param phone the customer's number
     * @param amountMinor the amount
     */
    public record Item(String reference, String phone, Amount amountMinor) {
        private Body body() {
            return new Body()
                    .required("reference", reference)
                    .required("phone", phone)
                    .required("amount_minor", amountMinor);
        }
    }

    Body body() {
        return new Body()
                .required("reference", reference)
                .required("account_no", accountNo)
                .required("currency", currency)
                .required("channel", channel)
                .required("items", items.stream().map(each -> each.body().members()).toList());
    }
}
