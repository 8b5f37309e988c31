/** The result codes of Daraja that a customer of the simulator can cause. */
export const resultTexts = {
  0: 'The service request is processed successfully.',
  1: 'The balance is insufficient for the transaction.',
  1001: 'Unable to lock subscriber, a transaction is already in process for the current subscriber',
  1032: 'Request cancelled by user',
  1037: 'DS timeout user cannot be reached',
  2001: 'The initiator information is invalid.',
} as const;

export type ResultCode = keyof typeof resultTexts;

/** One event in the life of an accepted push. */
export interface Step {
  /** The time, in multiples of SIMULATOR_DELAY after the prompt was shown. */
  readonly afterDelays: number;
  /** The rail's result from then on. A query returns it, and 0 puts the payment on the statement. */
  readonly result: ResultCode;
  /** The number of callbacks. */
  readonly callbacks: number;
}

/** The rail's behaviour for one phone number. */
export interface Scenario {
  /**
   * The behaviour that the sender of the push sees.
   * - `after-callback`: the answer waits for the callback.
   * - `lost`: accepted, then the connection breaks.
   * - `slow`: the answer and the prompt wait for SIMULATOR_SLOW_ANSWER.
   * - `invalid`, `busy`: refused.
   * - `spike-arrest`: refused twice, then accepted, and so on in threes.
   */
  readonly push:
    'answered' | 'after-callback' | 'lost' | 'slow' | 'invalid' | 'busy' | 'spike-arrest';
  /**
   * `after-callback`: held until every callback was tried · `busy-twice`: "being processed" for the first two ·
   * `denied-once`: 1037 for the first, whatever the customer did.
   */
  readonly query: 'answered' | 'after-callback' | 'busy-twice' | 'denied-once';
  readonly steps: readonly Step[];
  /** Cents paid on top of the amount of the push. */
  readonly extraMinor: bigint;
  /** True if the CheckoutRequestID ends in the customer's number, as all of Daraja's do. */
  readonly isNumberInId?: true;
}

const step = (result: ResultCode, callbacks = 1, afterDelays = 1): Step => ({
  afterDelays,
  result,
  callbacks,
});

const pays: Scenario = { push: 'answered', query: 'answered', steps: [step(0)], extraMinor: 0n };

/** Like test cards: the whole number decides. A number that is not listed here pays. */
export const scenarios: Readonly<Record<string, Scenario>> = {
  254700000002: { ...pays, steps: [step(1032)] },
  254700000003: { ...pays, steps: [step(1)] },
  254700000004: { ...pays, steps: [step(2001)] },
  254700000005: { ...pays, steps: [step(1037)] },
  254700000006: { ...pays, steps: [step(0, 0)] },
  254700000007: { ...pays, steps: [step(0, 2)] },
  254700000008: { ...pays, steps: [step(1037), step(0, 1, 2)] },
  254700000009: { ...pays, push: 'after-callback', steps: [step(0, 1, 0)] },
  // This rail's smallest step is one cent.
  254700000010: { ...pays, query: 'after-callback', extraMinor: 1n },
  254700000011: { ...pays, push: 'invalid' },
  254700000012: { ...pays, push: 'lost' },
  // The customer never answers this prompt, and no money moves.
  254700000013: { ...pays, push: 'lost', steps: [step(1037, 0)] },
  254700000014: { ...pays, push: 'busy' },
  254700000015: { ...pays, push: 'slow' },
  254700000016: { ...pays, query: 'busy-twice', steps: [step(0, 0)] },
  254700000017: { ...pays, push: 'spike-arrest' },
  254700000018: { ...pays, query: 'denied-once', steps: [step(0, 0)] },
  254700000019: { ...pays, steps: [step(1037), step(0, 0, 2)] },
  254700000020: { ...pays, steps: [step(1001)] },
  254700000021: { ...pays, isNumberInId: true },
};

/** @param phone twelve digits, `254…` */
export function scenarioOf(phone: string): Scenario {
  return scenarios[phone] ?? pays;
}
