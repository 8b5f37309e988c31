import { type Refusal } from '../errors.js';

/** The meaning of each code for the client that receives it (ERR-5 to ERR-11). */
export const errorMeanings = {
  invalid_token: 'The bearer token is absent, unknown, expired or revoked.',
  ip_not_allowed: 'The source address is not on the credential’s list.',
  missing_signature: 'One of X-PP-Signature, X-PP-Nonce, X-PP-Timestamp is absent.',
  timestamp_expired: 'The timestamp is malformed or differs too much from the server’s clock.',
  invalid_signature: 'The signature is not base64 or does not verify.',
  invalid_nonce: 'The nonce is malformed.',
  nonce_reused: 'The nonce was seen before for this credential.',
  rate_limited:
    'The credential is over its rate or its memory, or the address has had too many failures. Wait for Retry-After.',
  missing_idempotency_key: 'A money-movement call has no Idempotency-Key.',
  invalid_idempotency_key: 'The Idempotency-Key is not 1 to 255 visible ASCII characters.',
  invalid_client: 'The client id or secret is wrong.',
  unsupported_grant_type: 'grant_type is not client_credentials.',
  invalid_request: 'The request cannot be read, or it has an unknown parameter.',
  invalid_account: 'account_no is not an account of yours in this mode.',
  invalid_phone: 'phone does not have the required form.',
  invalid_amount: 'amount_minor is not an integer, or the rail does not support the amount.',
  invalid_currency: 'currency is not the account’s, or the rail does not support it.',
  invalid_channel: 'channel is not known.',
  invalid_reference: 'reference does not have the required form.',
  invalid_type: 'type is not known.',
  invalid_status: 'status is not known.',
  invalid_date: 'from or to is not a date, or from is after to.',
  invalid_limit: 'limit is not an integer, or it is out of range.',
  invalid_cursor: 'cursor is not one that the service returned.',
  invalid_position:
    'X-PP-Min-Position or X-PP-At-Position is malformed, or beyond the ledger’s end.',
  invalid_sequence: 'after_sequence is neither the sequence of an event nor 0.',
  not_found: 'It does not exist, or it is not yours.',
  method_not_allowed: 'The path does not support this method. See Allow.',
  payload_too_large: 'The body is too large.',
  unsupported_media_type: 'The Content-Type is not the required one.',
  idempotency_in_progress: 'A call with this key is still running. Try again.',
  idempotency_key_reused: 'The key was used with other fields.',
  same_holder:
    'The holder that requested the payout cannot decide it, with any credential. In live mode, a holder that is bound to no person or system can neither request nor approve a payout.',
  destination_not_allowed: 'The phone number is not on the list of allowed destinations.',
  not_pending_approval: 'The payout is not waiting for approval.',
  not_cancellable:
    'The payout was given to the rail or has ended, or only its whole batch can be cancelled.',
  insufficient_funds: 'The available balance does not cover the amount and the fee.',
  limit_exceeded: 'The payout is over the limit for one payout or for the day.',
  rail_rejected: 'The rail refused the push at once. The collection is recorded as failed.',
  internal_error: 'A defect of the service.',
  service_unavailable:
    'A server that the service needs does not answer, the view has not reached X-PP-Min-Position or X-PP-At-Position, or too many requests ask as of a position. Try again after Retry-After, with the same Idempotency-Key if the call has one.',
} as const satisfies Record<Refusal, string>;
