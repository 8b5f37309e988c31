import { type Refusal } from '../errors.js';

/**
 * Tells a client if the same call may be sent again.
 * - `yes`: send the same fields again, with the same Idempotency-Key and newly signed. The answer may differ.
 * - `after_change`: the same call gets the same answer; change what `action` names first.
 * - `no`: the answer is final.
 */
export type Retry = 'yes' | 'after_change' | 'no';

export interface ErrorAdvice {
  /** The client's next step, in one or two sentences of Markdown. */
  readonly action: string;
  readonly retry: Retry;
}

const change = (action: string): ErrorAdvice => ({ action, retry: 'after_change' });
const again = (action: string): ErrorAdvice => ({ action, retry: 'yes' });
const final = (action: string): ErrorAdvice => ({ action, retry: 'no' });

/** The next step for each code. */
export const errorAdvice = {
  invalid_token: change('Get a new access token, then send the call again.'),
  ip_not_allowed: change('Call from an address on the list, or ask your operator to add this one.'),
  missing_signature: change('Send all three headers. Check that your proxy keeps them.'),
  timestamp_expired: change(
    'Set your clock by NTP. Send Unix seconds, not milliseconds, and sign each try anew.',
  ),
  invalid_signature: change(
    'Compare your string to sign with the one in `detail` (demo mode) or in the [walk-through](/docs/guides/signing#signing-walk-through). The usual causes: a trailing line feed, an unsorted query, or a body that was serialised twice.',
  ),
  invalid_nonce: change('Send 16 to 64 letters, digits, `_` and `-`, such as 32 hex digits.'),
  nonce_reused: change('Make a new nonce for each try, retries included, and sign again.'),
  rate_limited: again('Wait for `Retry-After`. If it happens often, spread your calls.'),
  missing_idempotency_key: change('Send an `Idempotency-Key` that you store with the order.'),
  invalid_idempotency_key: change('Send 1 to 255 visible ASCII characters, such as a UUID.'),
  invalid_client: change('Check the client id and the secret, and their mode.'),
  unsupported_grant_type: change('Send `grant_type=client_credentials`.'),
  invalid_request: change('Read `detail`: it names the part that is wrong. Fix your code.'),
  invalid_account: change('Use an account number of your own, in the mode of this credential.'),
  invalid_phone: change('Send digits only, with the country code: `254712345678`.'),
  invalid_amount: change('Send an integer of minor units: KES 250.00 is `25000`.'),
  invalid_currency: change('Send the currency of the account, such as `KES`.'),
  invalid_channel: change('Send `mpesa`.'),
  invalid_reference: change('Follow the pattern of `reference`, without a phone number in it.'),
  invalid_type: change('Send `collection` or `payout`, or leave the filter out.'),
  invalid_status: change('Send one of the statuses that the field lists.'),
  invalid_date: change('Send `YYYY-MM-DD`, with `from` no later than `to`.'),
  invalid_limit: change('Send an integer from 1 to 100.'),
  invalid_cursor: change('Send `next_cursor` unchanged, encoded in the query.'),
  invalid_position: change('Send an `X-PP-Ledger-Position` unchanged, from the same service.'),
  invalid_sequence: change('Send the `sequence` of an event that you have, or 0.'),
  not_found: change('Check the reference, the path and the mode of the credential.'),
  method_not_allowed: change('Use a method that `Allow` names.'),
  payload_too_large: change('Send a smaller body, or split the batch.'),
  unsupported_media_type: change(
    'Send `Content-Type: application/json`; for the token, `application/x-www-form-urlencoded`.',
  ),
  idempotency_in_progress: again('Wait a second, then repeat with the same key.'),
  idempotency_key_reused: change(
    'Send the fields of the first call, or a new key for a new action.',
  ),
  same_holder: change('Let another holder decide. In live mode, bind each holder to a person.'),
  destination_not_allowed: change('Ask your operator to add the number to the list.'),
  not_pending_approval: final('Retrieve the payout: it was decided already.'),
  not_cancellable: final('Retrieve the payout, or cancel its whole batch.'),
  insufficient_funds: change('Retrieve the balance. Wait for collections, or pay out less.'),
  limit_exceeded: change('Pay out less, wait for the next day, or ask for another limit.'),
  rail_rejected: final(
    'Tell the customer that no prompt was sent. A new try needs a new reference: this one is `failed`.',
  ),
  internal_error: again(
    'Repeat with the same key. If it stays, report the `X-Request-Id` to your operator.',
  ),
  service_unavailable: again('Wait for `Retry-After`, then repeat with the same key.'),
} as const satisfies Record<Refusal, ErrorAdvice>;
