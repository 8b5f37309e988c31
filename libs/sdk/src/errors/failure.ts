import { type RequestedPayoutBatch, type CreatedCollection, type Transaction } from '../types.js';
import { type errorKinds, type ErrorCode } from './error-codes.js';

/** What every error answer tells. */
interface AnswerFacts {
  /** HTTP status. */
  readonly status: number;
  /** X-Request-Id: name it when you ask for help. */
  readonly requestId: string | undefined;
  /** Retry-After, where it was given. */
  readonly retryAfterSeconds: number | undefined;
}

/** An answer with a code of the service; one member for each code. */
export type AnsweredFailure = {
  [Code in ErrorCode]: AnswerFacts & {
    readonly code: Code;
    readonly kind: (typeof errorKinds)[Code];
    /** One sentence that names the field and the rule, where the service gave one. */
    readonly detail: string | undefined;
  };
}[ErrorCode];

/** An answer with a code that this version does not know; the service may be newer. */
export type UnknownCode = AnswerFacts & {
  readonly code: 'unknown_code';
  readonly kind: 'unknown';
  /** The code as it came. */
  readonly wireCode: string;
  readonly detail: string | undefined;
};

/** An answer that PesaPost does not give: a proxy's page, a redirect, a body of another shape. */
export type UnexpectedAnswer = AnswerFacts & {
  readonly code: 'unexpected_answer';
  readonly kind: 'unknown';
};

/** No answer: no connection, or it broke. Whether the request arrived is not known. */
export interface NetworkFailure {
  readonly code: 'network_failure';
  readonly kind: 'network';
}

/** No answer within `timeoutMs`. Whether the request arrived is not known. */
export interface TimedOut {
  readonly code: 'timeout';
  readonly kind: 'timeout';
  readonly timeoutMs: number;
}

/** `waitUntilSettled` ran out of time; the collection may settle yet. */
export interface NotSettled {
  readonly code: 'not_settled';
  readonly kind: 'not_settled';
  readonly reference: string;
  readonly timeoutMs: number;
  /** As last seen; undefined where no answer came. */
  readonly last: Transaction | undefined;
}

/**
 * The reference is that of an earlier collection or payout, and the request asked for something else. Nothing was pushed
 * or reserved; what the earlier one came to is not what was asked for now.
 */
interface Different<Code extends string> {
  readonly code: Code;
  readonly kind: 'refused';
  readonly reference: string;
  /** Fields of the request that are not the earlier one's, such as `amount_minor`. */
  readonly differs: readonly string[];
  /** The earlier one, as it stands. */
  readonly existing: CreatedCollection;
}

export type DifferentCollection = Different<'different_collection'>;
export type DifferentPayout = Different<'different_payout'>;
export type DifferentPayoutBatch = Omit<Different<'different_payout_batch'>, 'existing'> & {
  readonly existing: RequestedPayoutBatch;
};

/** Everything that can go wrong with a call, told apart by `code`; `kind` groups the codes. */
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
