import { randomInt } from 'node:crypto';
import { parseMinor, type Minor } from '#domain/kernel';
import { compactTime } from './east-africa-time.js';
import { type ResultCode, type Scenario, scenarioOf } from './scenarios.js';

/** The content of a valid push. Money is text of cents, as the journal stores it. */
export interface PushRequest {
  readonly transactionType: 'CustomerPayBillOnline' | 'CustomerBuyGoodsOnline';
  readonly amountMinor: string;
  readonly phone: string;
  readonly callbackUrl: string;
  readonly accountReference: string;
}

/**
 * An accepted push as the journal stores it. All later steps follow from it and from the time: the payment's moment and
 * receipt are fixed here, so a crash can change neither.
 */
export interface AcceptedPush extends PushRequest {
  readonly checkoutRequestId: string;
  readonly merchantRequestId: string;
  readonly acceptedAtMs: number;
  /** The time of the prompt. Only a slow push shows it later than it was accepted. */
  readonly promptAtMs: number;
  readonly delayMs: number;
  readonly receipt: string;
}

/** A push and its progress. */
export interface Payment {
  readonly push: AcceptedPush;
  readonly scenario: Scenario;
  /** The number of steps that were due so far. */
  reached: number;
  /** The number of steps whose callbacks have all been tried. */
  finished: number;
  /** The number of queries that got "being processed", or 1037, because the scenario says so. */
  busyQueries: number;
}

/** A customer's payment on the statement, by a push or without one. */
export interface PaidLine {
  readonly receipt: string;
  readonly paidAtMs: number;
  readonly begunAtMs: number;
  readonly amountMinor: Minor;
  readonly phone: string;
  readonly way: 'pay_bill' | 'till';
  /** The account, as a push gave it or a customer typed it. A till has none. */
  readonly account: string;
}

/** The line of a push that was paid. */
export function lineOf(payment: Payment): PaidLine {
  const { receipt, promptAtMs, phone, transactionType, accountReference } = payment.push;
  const isPayBill = transactionType === 'CustomerPayBillOnline';
  return {
    receipt,
    paidAtMs: dueAtMs(
      payment,
      payment.scenario.steps.findIndex(({ result }) => result === 0),
    ),
    begunAtMs: promptAtMs,
    amountMinor: paidMinor(payment),
    phone,
    way: isPayBill ? 'pay_bill' : 'till',
    account: isPayBill ? accountReference : '',
  };
}

export function newPayment(push: AcceptedPush): Payment {
  return { push, scenario: scenarioOf(push.phone), reached: 0, finished: 0, busyQueries: 0 };
}

/** Returns the milliseconds of the Unix epoch at which the step is due. */
export function dueAtMs(payment: Payment, step: number): number {
  const delays = payment.scenario.steps[step]?.afterDelays ?? 0;
  return payment.push.promptAtMs + delays * payment.push.delayMs;
}

/** Returns the rail's result now; undefined while the customer has the prompt. */
export function resultOf(payment: Payment): ResultCode | undefined {
  return payment.scenario.steps[payment.reached - 1]?.result;
}

export function paidMinor(payment: Payment): Minor {
  return parseMinor(payment.push.amountMinor) + payment.scenario.extraMinor;
}

const receiptLetters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const receiptCharacters = `0123456789${receiptLetters}`;

/**
 * Returns ten capitals and digits. As at M-Pesa, the first three encode year, month and day. Two receipts may be equal,
 * so the memory checks.
 */
export function newReceipt(atMs: number): string {
  const day = compactTime(atMs).slice(0, 8);
  const year = receiptLetters.charAt((Number(day.slice(0, 4)) - 2007) % 26);
  const month = receiptLetters.charAt(Number(day.slice(4, 6)) - 1);
  const date = receiptCharacters.charAt(Number(day.slice(6, 8)));
  let rest = '';
  for (let count = 0; count < 7; count += 1) rest += receiptCharacters.charAt(randomInt(36));
  return year + month + date + rest;
}

/**
 * Returns `ws_CO_`, day and time as ddmmyyyyhhmmss, random digits, and nine more digits. Daraja's last nine are the
 * customer's number. Ours begin with 0, as no number does, unless the scenario says otherwise.
 */
export function newCheckoutRequestId(atMs: number, phone: string): string {
  const time = compactTime(atMs);
  const day = time.slice(6, 8) + time.slice(4, 6) + time.slice(0, 4);
  const last = scenarioOf(phone).isNumberInId
    ? randomInt(1e4).toString().padStart(4, '0') + phone.slice(-9)
    : `${randomInt(10)}${randomInt(1e8).toString().padStart(9, '0')}`;
  return `ws_CO_${day}${time.slice(8)}${last}`;
}

/** Returns an id in the form of MerchantRequestID and of an error's requestId: `29115-34620561-1`. */
export function newRequestId(): string {
  return `${randomInt(1_000, 100_000)}-${randomInt(1e7, 1e8)}-1`;
}
