import { type ApiError, apiErrors } from '#shared/glossary';
import { type HttpError, httpErrors, Problem, type ProblemExtras } from '#shared/http';
import { type InitiateRefusal } from '#domain/collections';
import { type Result } from '#domain/kernel';

/** The reasons why a request was not admitted (AUTH-1), in the order of the checks. */
type AuthenticationRefusal =
  | 'invalid_token'
  | 'ip_not_allowed'
  | 'missing_signature'
  | 'timestamp_expired'
  | 'invalid_signature'
  | 'invalid_nonce'
  | 'nonce_reused'
  | 'rate_limited'
  | 'missing_idempotency_key'
  | 'invalid_idempotency_key';

type TokenRefusal = 'invalid_client' | 'unsupported_grant_type';

type FieldRefusal =
  | 'invalid_account'
  | 'invalid_phone'
  | 'invalid_amount'
  | 'invalid_currency'
  | 'invalid_channel'
  | 'invalid_reference'
  | 'invalid_type'
  | 'invalid_status'
  | 'invalid_date'
  | 'invalid_limit'
  | 'invalid_cursor'
  | 'invalid_position'
  | 'invalid_sequence';

type PayoutRefusal =
  | 'same_holder'
  | 'destination_not_allowed'
  | 'not_pending_approval'
  | 'not_cancellable'
  | 'not_refundable'
  | 'insufficient_funds'
  | 'limit_exceeded';

type IdempotencyRefusal = 'idempotency_in_progress' | 'idempotency_key_reused';

export type Refusal =
  | AuthenticationRefusal
  | TokenRefusal
  | FieldRefusal
  | IdempotencyRefusal
  | InitiateRefusal
  | PayoutRefusal
  | keyof typeof httpErrors;

/** Every error of V4, with status and code (ERR-5 to ERR-11). */
export const errors = {
  ...httpErrors,
  invalid_token: { status: 401, code: 'invalid_token' },
  ip_not_allowed: { status: 403, code: 'ip_not_allowed' },
  missing_signature: { status: 401, code: 'missing_signature' },
  timestamp_expired: { status: 401, code: 'timestamp_expired' },
  invalid_signature: { status: 401, code: 'invalid_signature' },
  invalid_nonce: { status: 401, code: 'invalid_nonce' },
  nonce_reused: { status: 401, code: 'nonce_reused' },
  rate_limited: { status: 429, code: 'rate_limited' },
  missing_idempotency_key: { status: 400, code: 'missing_idempotency_key' },
  invalid_idempotency_key: { status: 400, code: 'invalid_idempotency_key' },
  invalid_client: { status: 401, code: 'invalid_client' },
  unsupported_grant_type: { status: 400, code: 'unsupported_grant_type' },
  invalid_account: { status: 400, code: 'invalid_account' },
  invalid_phone: { status: 400, code: 'invalid_phone' },
  invalid_amount: { status: 400, code: 'invalid_amount' },
  invalid_currency: { status: 400, code: 'invalid_currency' },
  invalid_channel: { status: 400, code: 'invalid_channel' },
  invalid_reference: { status: 400, code: 'invalid_reference' },
  invalid_type: { status: 400, code: 'invalid_type' },
  invalid_status: { status: 400, code: 'invalid_status' },
  invalid_date: { status: 400, code: 'invalid_date' },
  invalid_limit: { status: 400, code: 'invalid_limit' },
  invalid_cursor: { status: 400, code: 'invalid_cursor' },
  invalid_position: { status: 400, code: 'invalid_position' },
  invalid_sequence: { status: 400, code: 'invalid_sequence' },
  idempotency_in_progress: { status: 409, code: 'idempotency_in_progress' },
  idempotency_key_reused: { status: 422, code: 'idempotency_key_reused' },
  same_holder: { status: 403, code: 'same_holder' },
  destination_not_allowed: { status: 403, code: 'destination_not_allowed' },
  not_pending_approval: { status: 409, code: 'not_pending_approval' },
  not_cancellable: { status: 409, code: 'not_cancellable' },
  not_refundable: { status: 409, code: 'not_refundable' },
  insufficient_funds: { status: 422, code: 'insufficient_funds' },
  limit_exceeded: { status: 422, code: 'limit_exceeded' },
  rail_rejected: { status: 502, code: 'rail_rejected' },
} as const satisfies Record<Refusal, HttpError>;

/** The words of each error. A refusal without words is a type error. */
export const errorTerms: Readonly<Record<Refusal, ApiError>> = apiErrors;

/** Returns the problem that answers a request with this refusal. */
export function problem(refusal: Refusal, extras?: ProblemExtras): Problem {
  return new Problem(errors[refusal], extras);
}

/** The last step of every controller: a value becomes the answer, a refusal becomes the table's error. */
export function answer<Value, Body>(
  result: Result<Value, Refusal>,
  toResponse: (value: Value) => Body,
): Body {
  if (!result.ok) throw problem(result.refusal);
  return toResponse(result.value);
}
