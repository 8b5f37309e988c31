import { type Retry } from './retry.js';
import { type Term } from './term.js';

/** The `error` of an answer, in words. */
export interface ApiError {
  readonly meaning: Term;
  /** The client's next step, in one or two sentences of Markdown. The documentation is in English only. */
  readonly next: string;
  /** For the same fields with the same Idempotency-Key, newly signed. The answer may differ. */
  readonly retry: Retry;
}

/** Every error code of the API (ERR-5 to ERR-11). */
export const apiErrors = {
  invalid_token: {
    meaning: {
      en: 'The bearer token is absent, unknown, expired or revoked.',
      sw: 'Tokeni ya bearer haipo, haijulikani, imeisha muda au imefutwa.',
    },
    next: 'Get a new access token, then send the call again.',
    retry: 'after_change',
  },
  ip_not_allowed: {
    meaning: {
      en: 'The source address is not on the credential’s list.',
      sw: 'Anwani ya IP haimo katika orodha ya kitambulisho.',
    },
    next: 'Call from an address on the list, or ask your operator to add this one.',
    retry: 'after_change',
  },
  missing_signature: {
    meaning: {
      en: 'One of X-PP-Signature, X-PP-Nonce, X-PP-Timestamp is absent.',
      sw: 'Moja ya X-PP-Signature, X-PP-Nonce na X-PP-Timestamp haipo.',
    },
    next: 'Send all three headers. Check that your proxy keeps them.',
    retry: 'after_change',
  },
  timestamp_expired: {
    meaning: {
      en: 'The timestamp is malformed, or too far from the server’s clock.',
      sw: 'Muda si sahihi, au unatofautiana mno na saa ya seva.',
    },
    next: 'Set your clock by NTP. Send Unix seconds, not milliseconds, and sign each try anew.',
    retry: 'after_change',
  },
  invalid_signature: {
    meaning: {
      en: 'The signature is not base64 or does not verify.',
      sw: 'Saini si base64, au si sahihi.',
    },
    next: 'Compare your string to sign with the one in `detail` (demo mode) or in the [walk-through](/docs/guides/signing#signing-walk-through). The usual causes: a trailing line feed, an unsorted query, or a body that was serialised twice.',
    retry: 'after_change',
  },
  invalid_nonce: {
    meaning: { en: 'The nonce is malformed.', sw: 'Muundo wa nonce si sahihi.' },
    next: 'Send 16 to 64 letters, digits, `_` and `-`, such as 32 hex digits.',
    retry: 'after_change',
  },
  nonce_reused: {
    meaning: {
      en: 'The nonce was used before with this credential.',
      sw: 'Nonce ilishatumika kwa kitambulisho hiki.',
    },
    next: 'Make a new nonce for each try, retries included, and sign again.',
    retry: 'after_change',
  },
  rate_limited: {
    meaning: {
      en: 'The credential or the address is over its limit. Wait for Retry-After.',
      sw: 'Kitambulisho au anwani imezidi kikomo chake. Subiri muda wa Retry-After.',
    },
    next: 'Wait for `Retry-After`. If it happens often, spread your calls.',
    retry: 'yes',
  },
  missing_idempotency_key: {
    meaning: {
      en: 'A money-movement call has no Idempotency-Key.',
      sw: 'Ombi la kuhamisha pesa halina Idempotency-Key.',
    },
    next: 'Send an `Idempotency-Key` that you store with the order.',
    retry: 'after_change',
  },
  invalid_idempotency_key: {
    meaning: {
      en: 'The Idempotency-Key is not 1 to 255 visible ASCII characters.',
      sw: 'Idempotency-Key si herufi 1 hadi 255 za ASCII zinazoonekana.',
    },
    next: 'Send 1 to 255 visible ASCII characters, such as a UUID.',
    retry: 'after_change',
  },
  invalid_client: {
    meaning: {
      en: 'The client id or secret is wrong.',
      sw: 'Kitambulisho cha mteja au siri si sahihi.',
    },
    next: 'Check the client id and the secret, and their mode.',
    retry: 'after_change',
  },
  unsupported_grant_type: {
    meaning: {
      en: 'grant_type is not client_credentials.',
      sw: 'grant_type si client_credentials.',
    },
    next: 'Send `grant_type=client_credentials`.',
    retry: 'after_change',
  },
  invalid_request: {
    meaning: {
      en: 'The request cannot be read, or it has an unknown parameter.',
      sw: 'Ombi halisomeki, au lina kigezo kisichojulikana.',
    },
    next: 'Read `detail`: it names the part that is wrong. Fix your code.',
    retry: 'after_change',
  },
  invalid_account: {
    meaning: {
      en: 'account_no is not an account of yours in this mode.',
      sw: 'account_no si akaunti yako katika hali hii.',
    },
    next: 'Use an account number of your own, in the mode of this credential.',
    retry: 'after_change',
  },
  invalid_phone: {
    meaning: { en: 'phone does not have the required form.', sw: 'Muundo wa phone si sahihi.' },
    next: 'Send digits only, with the country code: `254712345678`.',
    retry: 'after_change',
  },
  invalid_amount: {
    meaning: {
      en: 'amount_minor is not an integer, or the rail does not support the amount.',
      sw: 'amount_minor si nambari kamili, au M-Pesa haikubali kiasi hicho.',
    },
    next: 'Send an integer of minor units: KES 250.00 is `25000`.',
    retry: 'after_change',
  },
  invalid_currency: {
    meaning: {
      en: 'currency is not the account’s, or the rail does not support it.',
      sw: 'Sarafu si ya akaunti, au haikubaliki.',
    },
    next: 'Send the currency of the account, such as `KES`.',
    retry: 'after_change',
  },
  invalid_channel: {
    meaning: { en: 'channel is not known.', sw: 'channel haijulikani.' },
    next: 'Send `mpesa`.',
    retry: 'after_change',
  },
  invalid_reference: {
    meaning: {
      en: 'reference does not have the required form.',
      sw: 'Muundo wa reference si sahihi.',
    },
    next: 'Follow the pattern of `reference`, without a phone number in it.',
    retry: 'after_change',
  },
  invalid_type: {
    meaning: { en: 'type is not known.', sw: 'type haijulikani.' },
    next: 'Send `collection` or `payout`, or leave the filter out.',
    retry: 'after_change',
  },
  invalid_status: {
    meaning: { en: 'status is not known.', sw: 'status haijulikani.' },
    next: 'Send one of the statuses that the field lists.',
    retry: 'after_change',
  },
  invalid_date: {
    meaning: {
      en: 'from or to is not a date, or from is after to.',
      sw: 'from au to si tarehe, au from iko baada ya to.',
    },
    next: 'Send `YYYY-MM-DD`, with `from` no later than `to`.',
    retry: 'after_change',
  },
  invalid_limit: {
    meaning: {
      en: 'limit is not an integer, or it is out of range.',
      sw: 'limit si nambari kamili, au imezidi kikomo.',
    },
    next: 'Send an integer from 1 to 100.',
    retry: 'after_change',
  },
  invalid_cursor: {
    meaning: {
      en: 'cursor is not one that the service returned.',
      sw: 'cursor haikutolewa na huduma hii.',
    },
    next: 'Send `next_cursor` unchanged, encoded in the query.',
    retry: 'after_change',
  },
  invalid_position: {
    meaning: {
      en: 'X-PP-Min-Position or X-PP-At-Position is malformed, or beyond the ledger’s end.',
      sw: 'X-PP-Min-Position au X-PP-At-Position si sahihi, au imepita mwisho wa leja.',
    },
    next: 'Send an `X-PP-Ledger-Position` unchanged, from the same service.',
    retry: 'after_change',
  },
  invalid_sequence: {
    meaning: {
      en: 'after_sequence is neither the sequence of an event nor 0.',
      sw: 'after_sequence si nambari ya tukio wala 0.',
    },
    next: 'Send the `sequence` of an event that you have, or 0.',
    retry: 'after_change',
  },
  not_found: {
    meaning: { en: 'It does not exist, or it is not yours.', sw: 'Haipo, au si yako.' },
    next: 'Check the reference, the path and the mode of the credential.',
    retry: 'after_change',
  },
  method_not_allowed: {
    meaning: {
      en: 'The path does not support this method. See Allow.',
      sw: 'Anwani hii haikubali njia hii. Angalia Allow.',
    },
    next: 'Use a method that `Allow` names.',
    retry: 'after_change',
  },
  payload_too_large: {
    meaning: { en: 'The body is too large.', sw: 'Maudhui ni makubwa mno.' },
    next: 'Send a smaller body, or split the batch.',
    retry: 'after_change',
  },
  unsupported_media_type: {
    meaning: {
      en: 'The Content-Type is not the required one.',
      sw: 'Content-Type si ile inayohitajika.',
    },
    next: 'Send `Content-Type: application/json`; for the token, `application/x-www-form-urlencoded`.',
    retry: 'after_change',
  },
  idempotency_in_progress: {
    meaning: {
      en: 'A call with this key is still running. Try again.',
      sw: 'Ombi lenye ufunguo huu bado linaendelea. Jaribu tena.',
    },
    next: 'Wait a second, then repeat with the same key.',
    retry: 'yes',
  },
  idempotency_key_reused: {
    meaning: {
      en: 'The key was used before with other fields.',
      sw: 'Ufunguo ulitumika kwa maombi yenye maudhui mengine.',
    },
    next: 'Send the fields of the first call, or a new key for a new action.',
    retry: 'after_change',
  },
  same_holder: {
    meaning: {
      en: 'The holder that requested the payout cannot decide it, with any credential. In live mode, a holder must be bound to a person or a system.',
      sw: 'Aliyeomba malipo hawezi kuyaamua.',
    },
    next: 'Let another holder decide. In live mode, bind each holder to a person.',
    retry: 'after_change',
  },
  destination_not_allowed: {
    meaning: {
      en: 'The phone number is not on the list of allowed destinations.',
      sw: 'Nambari ya simu haimo katika orodha ya wanaoweza kulipwa.',
    },
    next: 'Ask your operator to add the number to the list.',
    retry: 'after_change',
  },
  not_pending_approval: {
    meaning: { en: 'The payout does not need approval.', sw: 'Malipo hayasubiri idhini.' },
    next: 'Retrieve the payout: it was decided already.',
    retry: 'no',
  },
  not_cancellable: {
    meaning: {
      en: 'The payout was already sent or has ended, or only its whole batch can be cancelled.',
      sw: 'Malipo yalishatumwa au yaliisha, au kundi lote tu linaweza kughairiwa.',
    },
    next: 'Retrieve the payout, or cancel its whole batch.',
    retry: 'no',
  },
  not_refundable: {
    meaning: {
      en: 'The collection is not completed, is under review, or has nothing left to refund.',
      sw: 'Makusanyo hayajakamilika, yanakaguliwa, au hakuna kilichobaki cha kurejesha.',
    },
    next: 'Retrieve the collection, and check its `status`, `under_review` and `refunded_minor`.',
    retry: 'no',
  },
  insufficient_funds: {
    meaning: {
      en: 'The available balance does not cover the amount and the fee.',
      sw: 'Salio linalopatikana halitoshi kwa kiasi na ada.',
    },
    next: 'Retrieve the balance. Wait for collections, or pay out less.',
    retry: 'after_change',
  },
  limit_exceeded: {
    meaning: {
      en: 'The payout is above the limit for one payout or for one day.',
      sw: 'Malipo yanazidi kikomo cha malipo moja au cha siku.',
    },
    next: 'Pay out less, wait for the next day, or ask for another limit.',
    retry: 'after_change',
  },
  rail_rejected: {
    meaning: {
      en: 'The rail rejected the request at once. The collection is recorded as failed.',
      sw: 'M-Pesa ilikataa ombi mara moja. Makusanyo yameandikwa kuwa yameshindikana.',
    },
    next: 'Tell the customer that no prompt was sent. A new try needs a new reference: this one is `failed`.',
    retry: 'no',
  },
  internal_error: {
    meaning: { en: 'Something failed in the service.', sw: 'Hitilafu ya huduma.' },
    next: 'Repeat with the same key. If it stays, report the `X-Request-Id` to your operator.',
    retry: 'yes',
  },
  service_unavailable: {
    meaning: {
      en: 'A server that the service needs does not answer, the view has not reached X-PP-Min-Position or X-PP-At-Position, or too many requests ask as of a position. Try again after Retry-After, with the same Idempotency-Key if the call has one.',
      sw: 'Huduma haipatikani kwa muda. Jaribu tena baada ya Retry-After, kwa Idempotency-Key ile ile.',
    },
    next: 'Wait for `Retry-After`, then repeat with the same key.',
    retry: 'yes',
  },
} as const satisfies Readonly<Record<string, ApiError>>;
