import { type RequestedPayoutBatch, type CreatedCollection, type Transaction } from '../types.js';
import { type errorKinds, type ErrorCode } from './error-codes.js';

/** The facts of every error answer. */
interface AnswerFacts {
  /** HTTP status. */
  readonly status: number;
  /** X-Request-Id: quote it when you ask for help. */
  readonly requestId: string | undefined;
  /** Retry-After, if it was given. */
  readonly retryAfterSeconds: number | undefined;
}

/** An answer with a code of the service; one member for each code. */
export type AnsweredFailure = {
  [Code in ErrorCode]: AnswerFacts & {
    readonly code: Code;
    readonly kind: (typeof errorKinds)[Code];
    /** One sentence that names the field and the rule, if the service gave one. */
    readonly detail: string | undefined;
  };
}[ErrorCode];

/** An answer with a code that this version does not know (SDK-11). The service may be newer. */
export type UnknownCode = AnswerFacts & {
  readonly code: 'unknown_code';
  readonly kind: 'unknown';
  /** The code as received. */
  readonly wireCode: string;
  readonly detail: string | undefined;
};

/** An answer that does not come from PesaPost: a proxy's page, a redirect, or a body of another shape. */
export type UnexpectedAnswer = AnswerFacts & {
  readonly code: 'unexpected_answer';
  readonly kind: 'unknown';
};

/** No answer: there was no connection, or it broke. It is unknown if the request arrived. */
export interface NetworkFailure {
  readonly code: 'network_failure';
  readonly kind: 'network';
}

/** No answer within `timeoutMs`. It is unknown if the request arrived. */
export interface TimedOut {
  readonly code: 'timeout';
  readonly kind: 'timeout';
  readonly timeoutMs: number;
}

/** `waitUntilSettled` ran out of time. The collection may still settle. */
export interface NotSettled {
  readonly code: 'not_settled';
  readonly kind: 'not_settled';
  readonly reference: string;
  readonly timeoutMs: number;
  /** The last known state; undefined if no answer came. */
  readonly last: Transaction | undefined;
}

/**
 * The reference belongs to an earlier collection or payout, and the request asked for something else. Nothing was
 * pushed or reserved, and the earlier one's outcome does not answer this request.
 */
interface Different<Code extends string> {
  readonly code: Code;
  readonly kind: 'refused';
  readonly reference: string;
  /** The request's fields that differ from the earlier one's, such as `amount_minor`. */
  readonly differs: readonly string[];
  /** The earlier one, in its current state. */
  readonly existing: CreatedCollection;
}

export type DifferentCollection = Different<'different_collection'>;
export type DifferentPayout = Different<'different_payout'>;
export type DifferentPayoutBatch = Omit<Different<'different_payout_batch'>, 'existing'> & {
  readonly existing: RequestedPayoutBatch;
};

/** Every possible failure of a call, distinguished by `code`; `kind` groups the codes. */
export type Failure =
  | AnsweredFailure
  | UnknownCode
  | UnexpectedAnswer
  | NetworkFailure
  | TimedOut
  | NotSettled
  | DifferentCollection
  | DifferentPayout
  | DifferentPayoutBatch;
