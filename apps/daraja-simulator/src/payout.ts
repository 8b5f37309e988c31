import { randomInt } from 'node:crypto';
import { compactTime } from './east-africa-time.js';

/** What a valid B2C request asks for. Money is text of cents, as the journal keeps it. */
export interface PayoutRequest {
  readonly originatorConversationId: string;
  readonly amountMinor: string;
  readonly phone: string;
  readonly resultUrl: string;
}

/** An accepted request as it stands in the journal. */
export interface AcceptedPayout extends PayoutRequest {
  readonly conversationId: string;
  readonly transactionId: string;
  readonly acceptedAtMs: number;
  readonly delayMs: number;
}

export const payoutResultTexts = {
  0: 'The service request is processed successfully.',
  1: 'The balance is insufficient for the transaction.',
  8: 'Would exceed the maximum balance.',
} as const;

export type PayoutResultCode = keyof typeof payoutResultTexts;

/** How the rail treats one phone number. */
export interface PayoutScenario {
  /** `lost`: accepted, then the connection breaks · `invalid`: refused. */
  readonly answer: 'answered' | 'lost' | 'invalid';
  /** What comes of it; undefined: nothing ever does. */
  readonly result: PayoutResultCode | undefined;
  /** How many times the result is told. */
  readonly callbacks: number;
  /** Afterwards it is paid all the same, and nobody is called for it: a status query knows. */
  readonly paysLater?: true;
}

/** A request and what has happened to it. */
export interface PayoutState {
  readonly payout: AcceptedPayout;
  readonly scenario: PayoutScenario;
  /** What the rail holds true; absent while it is under way. */
  settled?: { readonly result: PayoutResultCode; readonly atMs: number };
  /** Whether each callback of the result was tried. */
  told: boolean;
}

const pays: PayoutScenario = { answer: 'answered', result: 0, callbacks: 1 };

/** Like test cards: the whole number counts. Any number that is not here is paid. */
const scenarios: Readonly<Record<string, PayoutScenario>> = {
  254700000019: { ...pays, result: 8, paysLater: true },
  254700000101: { ...pays, answer: 'invalid' },
  254700000102: { ...pays, result: 8 },
  254700000103: { ...pays, answer: 'lost' },
  254700000104: { ...pays, callbacks: 0 },
  254700000105: { ...pays, callbacks: 2 },
  254700000106: { ...pays, result: undefined, callbacks: 0 },
};

/** @param phone twelve digits, `254…` */
export function payoutScenarioOf(phone: string): PayoutScenario {
  return scenarios[phone] ?? pays;
}

export function newPayout(payout: AcceptedPayout): PayoutState {
  return { payout, scenario: payoutScenarioOf(payout.phone), told: false };
}

/** `AG_`, the day, and twenty hexadecimal digits by lot. */
export function newConversationId(atMs: number): string {
  let digits = '';
  for (let count = 0; count < 20; count += 1) digits += randomInt(16).toString(16);
  return `AG_${compactTime(atMs).slice(0, 8)}_${digits}`;
}
