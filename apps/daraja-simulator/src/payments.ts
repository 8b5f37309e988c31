import { type Minor } from '#domain/kernel';
import { SplitMap } from '#shared/simulator';
import { type AcceptedPush, type PaidLine, lineOf, newPayment, type Payment } from './payment.js';

/**
 * Every push that the rail accepted. A load test makes a million of them, and the process stands still while the garbage
 * collector visits their objects. So a payment that is over is one string: at half a million, a full collection takes
 * 0.15 s, and with objects 0.24 s.
 */
export class Payments {
  /** Payments with a step or a callback still to come. */
  private readonly open = new Map<string, Payment>();
  private readonly over = new SplitMap<string>();

  get size(): number {
    return this.open.size + this.over.size;
  }

  has(id: string): boolean {
    return this.open.has(id) || this.over.has(id);
  }

  /** Returns the payment with that CheckoutRequestID. If the caller changes it, it calls `keep`. */
  get(id: string): Payment | undefined {
    const text = this.over.get(id);
    return text === undefined ? this.open.get(id) : paymentIn(text);
  }

  add(push: AcceptedPush): Payment {
    const payment = newPayment(push);
    this.open.set(push.checkoutRequestId, payment);
    return payment;
  }

  /** Notes the payment's progress. */
  keep(payment: Payment): void {
    if (payment.finished < payment.scenario.steps.length) return;
    const id = payment.push.checkoutRequestId;
    this.over.set(id, textOf(payment));
    this.open.delete(id);
  }

  unfinished(): Iterable<Payment> {
    return this.open.values();
  }
}

/** A line as it is kept: the CheckoutRequestID of a push, or all of a payment without one. */
type Kept = string | PaidLine;

/** The customers' payments on the statement. */
export class PaidLines {
  private readonly byReceipt = new SplitMap<Kept>();
  /** By the second of the payment, so that a page of a long list is found without reading all of it. */
  private readonly bySecond = new Map<number, Kept[]>();
  /** The sum of all lines. */
  sumMinor: Minor = 0n;

  constructor(private readonly payments: Payments) {}

  get size(): number {
    return this.byReceipt.size;
  }

  addPush(payment: Payment): void {
    this.add(lineOf(payment), payment.push.checkoutRequestId);
  }

  addWithoutPush(line: PaidLine): void {
    this.add(line, line);
  }

  /** The seconds of the Unix epoch in which somebody paid, in no particular order. */
  seconds(): Iterable<number> {
    return this.bySecond.keys();
  }

  countIn(second: number): number {
    return this.bySecond.get(second)?.length ?? 0;
  }

  /** The lines of a second, in no particular order. */
  in(second: number): readonly PaidLine[] {
    return (this.bySecond.get(second) ?? []).map((kept) => this.lineIn(kept));
  }

  get(receipt: string): PaidLine | undefined {
    const kept = this.byReceipt.get(receipt);
    return kept === undefined ? undefined : this.lineIn(kept);
  }

  /** All lines, in no particular order. */
  *values(): Generator<PaidLine> {
    for (const [, kept] of this.byReceipt.entries()) yield this.lineIn(kept);
  }

  private add({ receipt, paidAtMs, amountMinor }: PaidLine, kept: Kept): void {
    this.byReceipt.set(receipt, kept);
    const second = secondOf(paidAtMs);
    const others = this.bySecond.get(second);
    if (others === undefined) this.bySecond.set(second, [kept]);
    else others.push(kept);
    this.sumMinor += amountMinor;
  }

  private lineIn(kept: Kept): PaidLine {
    if (typeof kept !== 'string') return kept;
    const payment = this.payments.get(kept);
    if (payment === undefined) throw new Error(`paid but never accepted: ${kept}`);
    return lineOf(payment);
  }
}

/** Returns the second of the Unix epoch that the millisecond is in. */
export function secondOf(ms: number): number {
  return Math.floor(ms / 1000);
}

/** The URL is no longer needed, and is the longest part. */
function textOf({ push, busyQueries }: Payment): string {
  return JSON.stringify({ ...push, callbackUrl: '', busyQueries });
}

function paymentIn(text: string): Payment {
  const { busyQueries, ...push } = JSON.parse(text) as AcceptedPush & {
    readonly busyQueries: number;
  };
  const payment = newPayment(push);
  const steps = payment.scenario.steps.length;
  return { ...payment, reached: steps, finished: steps, busyQueries };
}
