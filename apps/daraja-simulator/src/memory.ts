import { Journal, Receipts, type Recorder } from '#shared/simulator';
import type { C2bUrls } from './c2b-notice.js';
import {
  type AcceptedPush,
  newCheckoutRequestId,
  newReceipt,
  newRequestId,
  type PaidLine,
  type Payment,
  type PushRequest,
} from './payment.js';
import { PaidLines, Payments } from './payments.js';
import { type PayoutRecord, Payouts } from './payouts.js';
import { type WithdrawalRecord, Withdrawals } from './withdrawals.js';

/** A record of the journal, one per line. */
type JournalRecord =
  | PayoutRecord
  | WithdrawalRecord
  | { readonly kind: 'accepted'; readonly push: AcceptedPush }
  | { readonly kind: 'finished'; readonly id: string; readonly steps: number }
  | { readonly kind: 'busy-query'; readonly id: string }
  | { readonly kind: 'spike-arrest'; readonly phone: string; readonly refused: number }
  | { readonly kind: 'token'; readonly sha256: string; readonly expiresAtMs: number }
  | { readonly kind: 'c2b-urls'; readonly urls: C2bUrls | null }
  | {
      readonly kind: 'c2b';
      readonly line: Omit<PaidLine, 'amountMinor'> & { readonly amountMinor: string };
    };

/**
 * The rail's state: every push that it accepted, every customer who paid, and every callback that it still owes. It
 * survives restarts.
 */
export class Memory {
  readonly payments = new Payments();
  readonly paid = new PaidLines(this.payments);
  /** Undefined until they are registered. */
  c2bUrls: C2bUrls | undefined;
  private readonly recorder: Recorder<JournalRecord> = {
    append: (record) => this.journal.append(record),
    note: (record) => {
      this.journal.note(record);
    },
  };
  readonly receipts = new Receipts(newReceipt);
  readonly payouts = new Payouts(this.receipts, this.recorder);
  readonly withdrawals = new Withdrawals(this.receipts, this.recorder);
  token: { readonly sha256: string; readonly expiresAtMs: number } | undefined;
  private readonly spikeArrests = new Map<string, number>();
  private journal!: Journal;

  private constructor(private readonly floatMinor: bigint) {}

  /** The account that collections are paid into. It begins at zero. */
  get workingMinor(): bigint {
    return this.paid.sumMinor - this.withdrawals.sumMinor;
  }

  /** The account that payouts leave from. It begins with the float. */
  get utilityMinor(): bigint {
    return this.floatMinor - this.payouts.paidOutMinor;
  }

  /**
   * @param floatMinor the opening balance of the account that pays out
   * @throws if the journal at that path cannot be used
   */
  static async open(
    path: string,
    floatMinor: bigint,
    onFailure: (error: Error) => void,
  ): Promise<Memory> {
    const memory = new Memory(floatMinor);
    memory.journal = await Journal.open(
      { path, app: 'daraja-simulator' },
      (record) => {
        memory.replay(record as JournalRecord);
      },
      onFailure,
    );
    return memory;
  }

  /**
   * Resolves once the push is on the disk. From then on it will be paid, called back and shown, even after a crash.
   */
  async accept(
    request: PushRequest,
    times: Pick<AcceptedPush, 'acceptedAtMs' | 'promptAtMs' | 'delayMs'>,
  ): Promise<Payment> {
    const push: AcceptedPush = {
      ...request,
      ...times,
      checkoutRequestId: this.newCheckoutRequestId(times.acceptedAtMs, request.phone),
      merchantRequestId: newRequestId(),
      receipt: this.receipts.make(times.promptAtMs),
    };
    await this.recorder.append({ kind: 'accepted', push });
    return this.payments.add(push);
  }

  /** Advances the payment to its next step, which is due now. */
  reachNextStep(payment: Payment): void {
    const step = payment.scenario.steps[payment.reached];
    payment.reached += 1;
    if (step?.result === 0) this.paid.addPush(payment);
  }

  /**
   * Notes that every callback of the step was tried. If a crash loses the note, a callback comes once more, as Daraja's
   * may.
   */
  finishStep(payment: Payment): void {
    payment.finished += 1;
    this.payments.keep(payment);
    this.recorder.note({
      kind: 'finished',
      id: payment.push.checkoutRequestId,
      steps: payment.finished,
    });
  }

  /** Counts a query that gets "being processed", or 1037, because the scenario says so. */
  async countBusyQuery(payment: Payment): Promise<void> {
    this.noteBusyQuery(payment);
    await this.recorder.append({ kind: 'busy-query', id: payment.push.checkoutRequestId });
  }

  /** The number of spike arrests in a row for the number. */
  spikeArrestsOf(phone: string): number {
    return this.spikeArrests.get(phone) ?? 0;
  }

  async setSpikeArrests(phone: string, refused: number): Promise<void> {
    this.spikeArrests.set(phone, refused);
    await this.recorder.append({ kind: 'spike-arrest', phone, refused });
  }

  /** Sets the token and so ends the previous one. */
  async setToken(sha256: string, expiresAtMs: number): Promise<void> {
    this.token = { sha256, expiresAtMs };
    await this.recorder.append({ kind: 'token', sha256, expiresAtMs });
  }

  /** Sets or forgets the addresses for payments without a push. */
  async setC2bUrls(urls: C2bUrls | undefined): Promise<void> {
    this.c2bUrls = urls;
    await this.recorder.append({ kind: 'c2b-urls', urls: urls ?? null });
  }

  /** Takes a payment without a push. It is on the disk, and so on the statement, before any notice of it. */
  async receive(line: PaidLine): Promise<void> {
    this.rememberReceived(line);
    await this.recorder.append({
      kind: 'c2b',
      line: { ...line, amountMinor: line.amountMinor.toString() },
    });
  }

  private rememberReceived(line: PaidLine): void {
    this.receipts.add(line.receipt);
    this.paid.addWithoutPush(line);
  }

  private noteBusyQuery(payment: Payment): void {
    payment.busyQueries += 1;
    this.payments.keep(payment);
  }

  close(): Promise<void> {
    return this.journal.close();
  }

  private replay(record: JournalRecord): void {
    switch (record.kind) {
      case 'payout':
      case 'payout-settled':
      case 'payout-told':
        this.payouts.replay(record);
        return;
      case 'sweep':
      case 'reversal':
      case 'reversal-settled':
      case 'reversal-told':
      case 'reversed-by-hand':
        this.withdrawals.replay(record);
        return;
      case 'accepted':
        this.receipts.add(record.push.receipt);
        this.payments.add(record.push);
        return;
      case 'finished': {
        const payment = this.payments.get(record.id);
        if (payment === undefined) return;
        while (payment.reached < record.steps) this.reachNextStep(payment);
        payment.finished = record.steps;
        this.payments.keep(payment);
        return;
      }
      case 'busy-query': {
        const payment = this.payments.get(record.id);
        if (payment !== undefined) this.noteBusyQuery(payment);
        return;
      }
      case 'spike-arrest':
        this.spikeArrests.set(record.phone, record.refused);
        return;
      case 'token':
        this.token = record;
        return;
      case 'c2b-urls':
        this.c2bUrls = record.urls ?? undefined;
        return;
      case 'c2b':
        this.rememberReceived({ ...record.line, amountMinor: BigInt(record.line.amountMinor) });
    }
  }

  private newCheckoutRequestId(atMs: number, phone: string): string {
    let id = newCheckoutRequestId(atMs, phone);
    while (this.payments.has(id)) id = newCheckoutRequestId(atMs, phone);
    return id;
  }
}
