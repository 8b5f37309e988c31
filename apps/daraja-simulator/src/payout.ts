import { randomInt } from 'node:crypto';
import { compactTime } from './east-africa-time.js';

/** The content of a valid B2C request. Money is text of cents, as the journal stores it. */
export interface PayoutRequest {
  readonly originatorConversationId: string;
  readonly amountMinor: string;
  readonly phone: string;
  readonly resultUrl: string;
}

/** An accepted request as the journal stores it. */
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

/** The rail's behaviour for one phone number. */
export interface PayoutScenario {
  /** `lost`: accepted, then the connection breaks · `invalid`: refused. */
  readonly answer: 'answered' | 'lost' | 'invalid';
  /** The result; undefined if none ever comes. */
  readonly result: PayoutResultCode | undefined;
  /** The number of reports of the result. */
  readonly callbacks: number;
  /** True if the payout is paid later without another callback. Only a status query shows that. */
  readonly paysLater?: true;
}

/** A request and its progress. */
export interface PayoutState {
  readonly payout: AcceptedPayout;
  readonly scenario: PayoutScenario;
  /** The result at the rail; absent while the payout is in progress. */
  settled?: { readonly result: PayoutResultCode; readonly atMs: number };
  /** True if each callback of the result was tried. */
  told: boolean;
}

const pays: PayoutScenario = { answer: 'answered', result: 0, callbacks: 1 };

/** Like test cards: the whole number decides. A number that is not listed here is paid. */
export const payoutScenarios: Readonly<Record<string, PayoutScenario>> = {
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
  return payoutScenarios[phone] ?? pays;
}

export function newPayout(payout: AcceptedPayout): PayoutState {
  return { payout, scenario: payoutScenarioOf(payout.phone), told: false };
}

/** Returns `AG_`, the day, and twenty random hexadecimal digits. */
export function newConversationId(atMs: number): string {
  let digits = '';
  for (let count = 0; count < 20; count += 1) digits += randomInt(16).toString(16);
  return `AG_${compactTime(atMs).slice(0, 8)}_${digits}`;
}
