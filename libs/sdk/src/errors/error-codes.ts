/**
 * Every error code of PesaPost, with its kind:
 * - `authentication`: the token, address or signature is wrong; check the set-up, or a clock.
 * - `request`: the request is not well-formed; `detail` names the field and the rule.
 * - `not_found`: there is no item with that name.
 * - `refused`: the request is well-formed, and declined.
 * - `idempotency`: the Idempotency-Key is in use, or was used for another body.
 * - `rate_limit`, `service`: try again later.
 */
export const errorKinds = {
  invalid_token: 'authentication',
  ip_not_allowed: 'authentication',
  missing_signature: 'authentication',
  timestamp_expired: 'authentication',
  invalid_signature: 'authentication',
  invalid_nonce: 'authentication',
  nonce_reused: 'authentication',
  invalid_client: 'authentication',
  unsupported_grant_type: 'authentication',
  missing_idempotency_key: 'request',
  invalid_idempotency_key: 'request',
  invalid_cursor: 'request',
  invalid_request: 'request',
  invalid_account: 'request',
  invalid_phone: 'request',
  invalid_amount: 'request',
  invalid_currency: 'request',
  invalid_channel: 'request',
  invalid_reference: 'request',
  invalid_type: 'request',
  invalid_status: 'request',
  invalid_date: 'request',
  invalid_limit: 'request',
  invalid_position: 'request',
  invalid_sequence: 'request',
  method_not_allowed: 'request',
  payload_too_large: 'request',
  unsupported_media_type: 'request',
  not_found: 'not_found',
  same_holder: 'refused',
  not_refundable: 'refused',
  destination_not_allowed: 'refused',
  not_pending_approval: 'refused',
  not_cancellable: 'refused',
  insufficient_funds: 'refused',
  limit_exceeded: 'refused',
  rail_rejected: 'refused',
  idempotency_in_progress: 'idempotency',
  idempotency_key_reused: 'idempotency',
  rate_limited: 'rate_limit',
  internal_error: 'service',
  service_unavailable: 'service',
} as const;

/** A code of a PesaPost error answer. */
export type ErrorCode = keyof typeof errorKinds;

export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(errorKinds, text);
}
