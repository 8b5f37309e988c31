import { type FailureCode } from '#shared/glossary';

/**
 * Maps Daraja's codes to our names. The names are the `failure_code` that merchants see, and stay the same whatever the
 * rail's texts say. A code that is not listed here settles nothing.
 */
const declines: Readonly<Record<string, FailureCode>> = {
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

/** Reasons for which a push was refused at once, by `errorCode`. Any other 4xx is `rail_refused`. */
const refusals: Readonly<Record<string, FailureCode>> = {
  '400.002.02': 'invalid_request',
  '400.003.01': 'rail_unauthorized',
  '404.001.03': 'rail_unauthorized',
  '500.001.1001': 'rail_refused',
  '500.003.02': 'rail_busy',
  '500.003.03': 'rail_quota_exceeded',
};

/** Codes with a 5xx status that still prove that no prompt was shown. */
const refusalsWithStatus5xx: ReadonlySet<string> = new Set(['500.001.1001', '500.003.03']);

/** The rail did not accept our token, so it looked at nothing else. */
const tokenRefusals: ReadonlySet<string> = new Set(['404.001.03', '400.003.01']);

export const errorCodes = {
  spikeArrest: '500.003.02',
  quota: '500.003.03',
} as const;

/** True if an answer says that our token was not accepted. A 401 does, whatever its body. */
export function isTokenRefused(status: number, errorCode: string | undefined): boolean {
  return status === 401 || (errorCode !== undefined && tokenRefusals.has(errorCode));
}

/** The payment is being processed. This is the only known code that means neither yes nor no. */
const pendingCode = '4999';

/**
 * The meaning of a result code for the payment. `unresolved`: the payment is being processed, or the code is unknown;
 * an unknown code is passed on to be counted.
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

/** Returns our code for a refusal, or undefined if the error leaves open whether a prompt was shown. */
export function refusalOf(status: number, errorCode: string): string | undefined {
  const isRefusal = (status >= 400 && status <= 499) || refusalsWithStatus5xx.has(errorCode);
  return isRefusal ? failureCodeOf(errorCode) : undefined;
}

/** Returns our code for the error code of a push that was certainly not taken. */
export function failureCodeOf(errorCode: string): string {
  return (Object.hasOwn(refusals, errorCode) && refusals[errorCode]) || 'rail_refused';
}

/** Results of a payout that mean that nothing was paid. The same codes mean other things for a push. */
const payoutDeclines: Readonly<Record<string, FailureCode>> = {
  '1': 'rail_float_insufficient',
  '2': 'below_minimum',
  '3': 'above_maximum',
  '4': 'daily_limit_exceeded',
  '8': 'balance_limit_exceeded',
  '11': 'rail_account_inactive',
  '21': 'rail_unauthorized',
  '2001': 'rail_unauthorized',
  '2006': 'rail_account_inactive',
  '2028': 'invalid_party',
  '2040': 'receiver_not_registered',
  '8006': 'rail_unauthorized',
  SFC_IC0003: 'invalid_party',
  // A reversal of a receipt that the rail does not know.
  R000002: 'receipt_unknown',
};

/** Refusals of the initiator of a question, which every other question would get, too. */
const initiatorRefusals: ReadonlySet<string> = new Set(['21', '2001', '8006', 'SFC_IC0003']);

export function isInitiatorRefused(code: string): boolean {
  return initiatorRefusals.has(code);
}

/** True if a code is in one of the lists of results. */
export function isKnownCode(code: string): boolean {
  return [resultOf(code), payoutResultOf(code)].some(
    (read) => read.kind !== 'unresolved' || read.unknownCode === undefined,
  );
}

/** A reversal of a payment that was reversed before. The customer may have the money, by whatever order. */
const reversedBefore = 'R000001';

/** True if the code says that the money left, although this result is not that of the order that moved it. */
export function isDoneBefore(code: string): boolean {
  return code === reversedBefore;
}

/** Reads the result code of a payout. Codes that are not listed here settle nothing. */
export function payoutResultOf(code: string): Result {
  return fromList(code, '0', payoutDeclines);
}

/** The failed outcomes that a transaction status query reports. Other statuses settle nothing. */
const statusDeclines: Readonly<Record<string, FailureCode>> = {
  Cancelled: 'cancelled',
  Declined: 'rail_declined',
  Expired: 'expired',
  Failed: 'rail_declined',
};
const pendingStatuses: ReadonlySet<string> = new Set([
  'Authorized',
  'Initiated',
  'Pending',
  'Pending Authorized',
]);

export function statusResultOf(status: string): Result {
  return fromList(status, 'Completed', statusDeclines);
}

/** True if the payment has no outcome yet, which is normal. */
export function isPendingStatus(status: string): boolean {
  return pendingStatuses.has(status);
}

function fromList(word: string, paid: string, list: Readonly<Record<string, FailureCode>>): Result {
  if (word === paid) return { kind: 'paid', resultCode: word };
  const failureCode = Object.hasOwn(list, word) ? list[word] : undefined;
  return failureCode === undefined
    ? { kind: 'unresolved', unknownCode: word }
    : { kind: 'declined', failureCode };
}

/** A gateway timeout, or a name that exists already: in both cases the order may have been taken. */
const uncertainStatuses: ReadonlySet<number> = new Set([408, 409]);
/**
 * The prefix of the server's own errors. The status beside them varies.
 * - 500.002.1001: a name that was used before, so an order was taken under it
 * - 500.001.1001: an order that is being processed
 * - the others: internal errors
 */
const serverErrors = '500.';

/** Returns our code if the rail refused a payout at once, or undefined if it may have taken it. */
export function payoutRefusalOf(status: number, errorCode: string): string | undefined {
  const isOfClient = status >= 400 && status <= 499;
  const isUncertain = uncertainStatuses.has(status) || errorCode.startsWith(serverErrors);
  const isRefusal = (isOfClient && !isUncertain) || errorCode === errorCodes.quota;
  return isRefusal ? failureCodeOf(errorCode) : undefined;
}
