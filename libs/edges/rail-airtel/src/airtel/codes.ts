import { type QueryOutcome } from '#domain/rails';
import { type FailureCode } from '#shared/glossary';

/** The beginning of the codes about collections (AIR-4). */
const family = 'DP00800001';

/** The codes that say that a prompt was or may have been shown, or that the payment is made. */
export const responseCodes = {
  success: `${family}001`,
  inProcess: `${family}006`,
} as const;

/**
 * The codes after which no money moves, and our names for them. Ambiguous codes (000, 006, 024, 025, ROUTER117,
 * ESB…) are not here: they settle nothing.
 */
const declines: Readonly<Record<string, FailureCode>> = {
  [`${family}002`]: 'wrong_pin',
  [`${family}003`]: 'daily_limit_exceeded',
  [`${family}004`]: 'invalid_request',
  [`${family}005`]: 'no_answer',
  [`${family}007`]: 'insufficient_funds',
  [`${family}008`]: 'rail_declined',
  [`${family}009`]: 'rail_declined',
  [`${family}010`]: 'invalid_party',
  [`${family}026`]: 'rail_unauthorized',
  [`${family}029`]: 'expired',
};

/** Returns our code for a definite decline; undefined if the code leaves the outcome open. */
export function declineOf(responseCode: string | undefined): FailureCode | undefined {
  return responseCode !== undefined && Object.hasOwn(declines, responseCode)
    ? declines[responseCode]
    : undefined;
}

const payoutFamily = 'DP00900001';

/** The code of a payout that was made at once. */
export const payoutSuccess = `${payoutFamily}001`;

/**
 * The codes after which a payout certainly moved no money. Others settle nothing: 000, 006 and 014 are ambiguous, 011 and
 * 017 say that the id was used.
 */
const payoutRefusals: Readonly<Record<string, FailureCode>> = {
  [`${payoutFamily}007`]: 'rail_float_insufficient',
  // A wrong PIN, and one that Airtel cannot decrypt.
  ROUTER115: 'rail_unauthorized',
  ROUTER116: 'rail_unauthorized',
};

/** Returns our code for a payout that was refused; undefined if the code leaves the outcome open. */
export function payoutRefusalOf(responseCode: string | undefined): FailureCode | undefined {
  return responseCode !== undefined && Object.hasOwn(payoutRefusals, responseCode)
    ? payoutRefusals[responseCode]
    : undefined;
}

/** The states that an enquiry may give. Ambiguous (TA), in process (TIP) and initiated (TI) settle nothing. */
const openStates: ReadonlySet<string> = new Set(['TA', 'TIP', 'TI']);

/**
 * Returns the outcome that a state means. An unknown state is passed on to be counted.
 * @param failureCode the reason for which a payment failed, if it is known
 */
export function outcomeOf(
  state: string,
  failureCode: FailureCode | undefined,
): Exclude<QueryOutcome, { kind: 'unanswered' | 'not_asked' }> {
  switch (state) {
    case 'TS':
      return { kind: 'paid', resultCode: state };
    case 'TF':
      return { kind: 'declined', failureCode: failureCode ?? 'rail_declined' };
    case 'TE':
      return { kind: 'declined', failureCode: 'expired' };
    default:
      return openStates.has(state)
        ? { kind: 'unresolved' }
        : { kind: 'unresolved', unknownCode: state };
  }
}
