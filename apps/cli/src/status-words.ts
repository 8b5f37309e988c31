import { failureOf, statuses } from '#shared/glossary';

/** The status as the portal shows it. A status of a later release stays a code. */
export function statusWord(status: string): string {
  return Object.hasOwn(statuses, status) ? statuses[status as keyof typeof statuses].en : status;
}

/** The status and, after a failure, its reason with the code: `Failed: Wrong M-Pesa PIN (wrong_pin)`. */
export function statusWords(
  status: string,
  failure: { readonly code: string; readonly type: 'collection' | 'payout' } | undefined,
): string {
  if (failure === undefined) return statusWord(status);
  const known = failureOf(failure.code, failure.type);
  const reason = known ? `${known.reason.en} (${failure.code})` : failure.code;
  return `${statusWord(status)}: ${reason}`;
}
