import { SplitMap } from '#shared/simulator';
import { type AcceptedPush, type PaidLine, lineOf, newPayment, type Payment } from './payment.js';

/**
 * Every push that the rail accepted. A load test makes a million of them. The garbage collector visits each object of
 * each and stands still meanwhile, so a payment that is over is kept as one string: at half a million, 0.11 s instead of
 * 0.23 to 0.36.
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

/** The customers' payments on the statement. */
export class PaidLines {
  /** By receipt: the push's CheckoutRequestID, or the whole line if there was no push. */
  private readonly lines = new SplitMap<string | PaidLine>();
  /** Receipts by the second of the payment, so that a page of a long list is found without reading all of it. */
  private readonly receipts = new Map<number, string[]>();

  constructor(private readonly payments: Payments) {}

  get size(): number {
    return this.lines.size;
  }

  addPush(payment: Payment): void {
    this.add(lineOf(payment), payment.push.checkoutRequestId);
  }

  addWithoutPush(line: PaidLine): void {
    this.add(line, line);
  }

  /** The seconds of the Unix epoch in which somebody paid, in no particular order. */
  seconds(): Iterable<number> {
    return this.receipts.keys();
  }

  countIn(second: number): number {
    return this.receipts.get(second)?.length ?? 0;
  }

  /** The lines of a second, in no particular order. */
  in(second: number): readonly PaidLine[] {
    return (this.receipts.get(second) ?? []).flatMap((receipt) => this.get(receipt) ?? []);
  }

  get(receipt: string): PaidLine | undefined {
    const line = this.lines.get(receipt);
    return typeof line === 'string' ? this.lineOfPush(line) : line;
  }

  /** All lines, in no particular order. */
  *values(): Generator<PaidLine> {
    for (const [, line] of this.lines.entries())
      yield typeof line === 'string' ? this.lineOfPush(line) : line;
  }

  private add({ receipt, paidAtMs }: PaidLine, kept: string | PaidLine): void {
    this.lines.set(receipt, kept);
    const second = secondOf(paidAtMs);
    const others = this.receipts.get(second);
    if (others === undefined) this.receipts.set(second, [receipt]);
    else others.push(receipt);
  }

  private lineOfPush(id: string): PaidLine {
    const payment = this.payments.get(id);
    if (payment === undefined) throw new Error(`paid but never accepted: ${id}`);
    return lineOf(payment);
  }
}

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
