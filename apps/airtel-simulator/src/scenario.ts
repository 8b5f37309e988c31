import type { Report } from './reports.js';

/** The statuses of a transaction: success, failed, ambiguous, in progress, expired, initiated. */
export type Status = 'TS' | 'TF' | 'TA' | 'TIP' | 'TE' | 'TI';

/** A point in the life of an accepted transaction. */
export interface Step<Code extends string> {
  /** The time, in multiples of SIMULATOR_DELAY after the prompt was shown. */
  readonly afterDelays: number;
  /** The status from then on, which an enquiry returns. The first TS moves the money. */
  readonly status: Status;
  readonly code: Code;
  /** The `status_code` of each callback, true or not. */
  readonly callbacks: readonly ('TS' | 'TF' | 'TIP')[];
}

/** The rail's behaviour for one number. */
export interface Scenario<Code extends string> {
  /** False if the rail takes nothing: an enquiry finds no transaction. */
  readonly isAccepted: boolean;
  /**
   * - `after_first_step`: the answer waits for the first step and its callbacks.
   * - `late`: the answer and the prompt wait for SIMULATOR_SLOW_ANSWER.
   * - `lost`: the connection breaks.
   */
  readonly answer: 'at_once' | 'after_first_step' | 'late' | 'lost';
  /** The content of the answer. `status`: the transaction's status at that time, as an enquiry reports it. */
  readonly report: Report | 'status';
  /** The status before the first step, with its code. */
  readonly begins: { readonly status: Status; readonly code: Code };
  readonly steps: readonly Step<Code>[];
  /** The answers to the first enquiries. Later ones are answered by the status. */
  readonly enquiries: readonly Report[];
  /** The number of requests that are refused with HTTP 429 before one is taken, and so on. */
  readonly throttled: number;
  /** True if callbacks have a hash with another key. */
  readonly isForged?: true;
}

/** Returns a step, by default one SIMULATOR_DELAY after the prompt and without a callback. */
export function step<Code extends string>(
  status: Status,
  code: Code,
  callbacks: Step<Code>['callbacks'] = [],
  afterDelays = 1,
): Step<Code> {
  return { status, code, callbacks, afterDelays };
}
