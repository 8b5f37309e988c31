/**
 * Daraja's codes by our names, which are the `failure_code` that merchants see: stable, whatever the rail's
 * texts say. A code that is not here settles nothing.
 */
const declines: Readonly<Record<string, string>> = {
  '1': 'insufficient_funds',
  '2': 'below_minimum',
  '3': 'above_maximum',
  '4': 'daily_limit_exceeded',
  '8': 'balance_limit_exceeded',
  '17': 'duplicate_amount',
  '26': 'rail_congested',
  '1001': 'subscriber_busy',
  '1019': 'expired',
  '1025': 'push_error',
  '1032': 'cancelled',
  '1037': 'no_answer',
  '2001': 'wrong_pin',
  '2028': 'invalid_party',
  '8006': 'subscriber_locked',
  '9999': 'push_error',
  SFC_IC0003: 'invalid_party',
};

/** Why a push was refused at once, by `errorCode`. Any other 4xx is `rail_refused`. */
const refusals: Readonly<Record<string, string>> = {
  '400.002.02': 'invalid_request',
  '400.003.01': 'rail_unauthorized',
  '404.001.03': 'rail_unauthorized',
  '500.001.1001': 'rail_refused',
  '500.003.02': 'rail_busy',
  '500.003.03': 'rail_quota_exceeded',
};

/** Codes with a 5xx status that all the same say that no prompt was shown. */
const refusalsWithStatus5xx: ReadonlySet<string> = new Set(['500.001.1001', '500.003.03']);

/** The rail did not accept our token, so it looked at nothing else. */
const tokenRefusals: ReadonlySet<string> = new Set(['404.001.03', '400.003.01']);

export const errorCodes = {
  spikeArrest: '500.003.02',
  quota: '500.003.03',
} as const;

/** Whether an answer says that our token was not accepted; a 401 does, whatever its body. */
export function isTokenRefused(status: number, errorCode: string | undefined): boolean {
  return status === 401 || (errorCode !== undefined && tokenRefusals.has(errorCode));
}

/** Being processed: the one known code that says neither yes nor no. */
const pendingCode = '4999';

/**
 * What a result code says of the payment. `unresolved`: being processed, or a code that we do not know, which is
 * passed on to be counted.
 */
export type Result =
  | { readonly kind: 'paid'; readonly resultCode: string }
  | { readonly kind: 'declined'; readonly failureCode: string }
  | { readonly kind: 'unresolved'; readonly unknownCode?: string };

export function resultOf(code: string): Result {
  if (code === '0') return { kind: 'paid', resultCode: code };
  const failureCode = Object.hasOwn(declines, code) ? declines[code] : undefined;
  if (failureCode !== undefined) return { kind: 'declined', failureCode };
  return code === pendingCode ? { kind: 'unresolved' } : { kind: 'unresolved', unknownCode: code };
}

/** Our code for a refusal, or undefined where the error leaves open whether a prompt was shown. */
export function refusalOf(status: number, errorCode: string): string | undefined {
  const isRefusal = (status >= 400 && status <= 499) || refusalsWithStatus5xx.has(errorCode);
  return isRefusal ? failureCodeOf(errorCode) : undefined;
}

/** Our code for an error code of a push that is known not to have been taken. */
export function failureCodeOf(errorCode: string): string {
  return (Object.hasOwn(refusals, errorCode) && refusals[errorCode]) || 'rail_refused';
}
