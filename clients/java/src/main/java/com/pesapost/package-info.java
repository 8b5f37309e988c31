/**
 * The client of PesaPost V4: collect money over M-Pesa, pay out, list and verify webhooks.
 *
 * <p>{@link com.pesapost.PesaPost} makes calls. {@link com.pesapost.WebhookReceiver} and
 * {@link com.pesapost.WebhookVerifier} receive webhooks. Any number of threads may use each of them at the same time.
 * All records of this package are immutable.
 */
package com.pesapost;
