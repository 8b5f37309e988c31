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

/** The codes that refuse a push before the customer could see a prompt (AIR-3). After the others money may move. */
const refusals: ReadonlySet<string> = new Set(
  ['003', '004', '010', '026'].map((code) => family + code),
);

/** Returns our code for a push that was certainly refused; undefined if the code leaves the outcome open. */
export function pushRefusalOf(responseCode: string | undefined): FailureCode | undefined {
  return responseCode !== undefined && refusals.has(responseCode)
    ? declineOf(responseCode)
    : undefined;
}

/** Returns our code for a definite decline; undefined if the code leaves the outcome open. */
export function declineOf(responseCode: string | undefined): FailureCode | undefined {
  return responseCode !== undefined && Object.hasOwn(declines, responseCode)
    ? declines[responseCode]
    : undefined;
}

const payoutFamily = 'DP00900001';

/**
 * The codes that refuse a signature (AIR-18). The last one also means a PIN that Airtel cannot decrypt. Each is among the
 * refusals of its kind, so nothing was taken.
 */
const signatureRefusals: ReadonlySet<string> = new Set([
  `${family}026`,
  `${payoutFamily}016`,
  'ROUTER116',
]);

/** True if Airtel refused the request because of its signature. */
export function isSignatureRefusal(responseCode: string | undefined): boolean {
  return responseCode !== undefined && signatureRefusals.has(responseCode);
}

/** The code of a payout that was made at once. */
export const payoutSuccess = `${payoutFamily}001`;

/**
 * The codes after which a payout certainly moved no money. Others settle nothing: 000, 006 and 014 are ambiguous, 011 and
 * 017 say that the id was used.
 */
const payoutRefusals: Readonly<Record<string, FailureCode>> = {
  [`${payoutFamily}007`]: 'rail_float_insufficient',
  // The signature and the body do not match.
  [`${payoutFamily}016`]: 'rail_unauthorized',
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
 * Codes that leave the outcome open: ambiguous, in process, timed out, not found, or a duplicate. Beside them no state
 * settles anything.
 */
const openCodes: ReadonlySet<string> = new Set([
  ...['000', '006', '025'].map((code) => family + code),
  ...['000', '006', '011', '012', '014', '015', '017'].map((code) => payoutFamily + code),
]);

/** A state that an enquiry gave. */
interface Standing {
  readonly state: string;
  /** The code beside it. */
  readonly code: string | undefined;
  /** The reason for which a payment failed, if it is known. */
  readonly failureCode: FailureCode | undefined;
}

/** Returns the outcome that a state means. An unknown state is passed on to be counted. */
export function outcomeOf({
  state,
  code,
  failureCode,
}: Standing): Exclude<QueryOutcome, { kind: 'unanswered' | 'not_asked' }> {
  if (code !== undefined && openCodes.has(code) && !isMadeInProcess(state, code))
    return { kind: 'unresolved' };
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

/** Some sources show the code "in process" beside the state of a payment that was made. */
function isMadeInProcess(state: string, code: string): boolean {
  return state === 'TS' && code === responseCodes.inProcess;
}
