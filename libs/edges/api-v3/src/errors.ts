import { type HttpError, httpErrors, Problem, type ProblemExtras } from '#shared/http';

/** Every error of V3: two of its own, and V4's codes for fields (V3-3). */
export const errors = {
  ...httpErrors,
  invalid_consumer_key: { status: 401, code: 'invalid_consumer_key' },
  rate_limited: { status: 429, code: 'rate_limited' },
  invalid_signature: { status: 401, code: 'invalid_signature' },
  invalid_account: { status: 400, code: 'invalid_account' },
  invalid_reference: { status: 400, code: 'invalid_reference' },
  invalid_phone: { status: 400, code: 'invalid_phone' },
  invalid_amount: { status: 400, code: 'invalid_amount' },
  invalid_currency: { status: 400, code: 'invalid_currency' },
} as const satisfies Record<string, HttpError>;

export type Refusal = keyof typeof errors;

/** Returns the problem that answers a request with this refusal. */
export function problem(refusal: Refusal, extras?: ProblemExtras): Problem {
  return new Problem(errors[refusal], extras);
}
