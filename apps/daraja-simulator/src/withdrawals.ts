import { type Minor, parseMinor } from '#domain/kernel';
import type { Receipts, Recorder } from '#shared/simulator';
import { newRequestId, type PaidLine } from './payment.js';
import { newConversationId } from './payout.js';
import {
  type AcceptedReversal,
  type ReversalRequest,
  reversalScenarioOf,
  type ReversalState,
} from './reversal.js';

/** Money that went from the working account to the organisation's bank. Money is text of cents. */
export interface Sweep {
  readonly receipt: string;
  readonly atMs: number;
  readonly amountMinor: string;
}

/** A payment that went back to its customer. Money is text of cents. */
export interface Reversed {
  readonly receipt: string;
  readonly paidReceipt: string;
  readonly phone: string;
  readonly amountMinor: string;
  readonly begunAtMs: number;
  readonly atMs: number;
}

type Settlement = NonNullable<ReversalState['settled']>;

/** A record of the journal about money that left the working account. */
export type WithdrawalRecord =
  | { readonly kind: 'sweep'; readonly sweep: Sweep }
  | { readonly kind: 'reversal'; readonly reversal: AcceptedReversal }
  | ({ readonly kind: 'reversal-settled'; readonly id: string } & Settlement)
  | { readonly kind: 'reversal-told'; readonly id: string }
  | { readonly kind: 'reversed-by-hand'; readonly reversed: Reversed };

/** The money that left the working account, which collections are paid into. */
export class Withdrawals {
  readonly sweeps: Sweep[] = [];
  /** Reversals that took place, by the receipt of the payment. */
  readonly reversed = new Map<string, Reversed>();
  /** Requests that the rail accepted, by their OriginatorConversationID. */
  readonly reversals = new Map<string, ReversalState>();
  /** The sum of all that left. */
  sumMinor: Minor = 0n;

  constructor(
    private readonly receipts: Receipts,
    private readonly journal: Recorder<WithdrawalRecord>,
  ) {}

  /** Moves money to the bank. It is on the statement from the time at which this resolves. */
  async sweep(amountMinor: Minor, atMs: number): Promise<Sweep> {
    const receipt = this.receipts.make(atMs);
    const sweep = { receipt, atMs, amountMinor: amountMinor.toString() };
    this.addSweep(sweep);
    await this.journal.append({ kind: 'sweep', sweep });
    return sweep;
  }

  /** Resolves once the reversal is on the disk. */
  async accept(
    request: ReversalRequest,
    payment: PaidLine | undefined,
    times: Pick<AcceptedReversal, 'acceptedAtMs' | 'delayMs'>,
  ): Promise<ReversalState> {
    let originatorConversationId = newRequestId();
    while (this.reversals.has(originatorConversationId)) originatorConversationId = newRequestId();
    const reversal: AcceptedReversal = {
      ...request,
      ...times,
      originatorConversationId,
      conversationId: newConversationId(times.acceptedAtMs),
      transactionId: this.receipts.make(times.acceptedAtMs),
      payment: payment
        ? { phone: payment.phone, amountMinor: payment.amountMinor.toString() }
        : null,
    };
    const state = this.remember(reversal);
    await this.journal.append({ kind: 'reversal', reversal });
    return state;
  }

  /** Sets the outcome of the reversal. It is on the disk before any report of it. */
  async settle(state: ReversalState, settled: Settlement): Promise<void> {
    this.setOutcome(state, settled);
    const id = state.reversal.originatorConversationId;
    await this.journal.append({ kind: 'reversal-settled', id, ...settled });
  }

  /** Notes that every callback of the result was tried. */
  finish(state: ReversalState): void {
    state.told = true;
    this.journal.note({ kind: 'reversal-told', id: state.reversal.originatorConversationId });
  }

  /** Reverses the payment without a request, as a person can in the portal. */
  async reverseByHand({ receipt, phone, amountMinor }: PaidLine, atMs: number): Promise<void> {
    const reversed: Reversed = {
      receipt: this.receipts.make(atMs),
      paidReceipt: receipt,
      phone,
      amountMinor: amountMinor.toString(),
      begunAtMs: atMs,
      atMs,
    };
    this.addReversed(reversed);
    await this.journal.append({ kind: 'reversed-by-hand', reversed });
  }

  replay(record: WithdrawalRecord): void {
    switch (record.kind) {
      case 'sweep':
        this.addSweep(record.sweep);
        return;
      case 'reversal':
        this.remember(record.reversal);
        return;
      case 'reversal-settled': {
        const state = this.reversals.get(record.id);
        if (state) this.setOutcome(state, { result: record.result, atMs: record.atMs });
        return;
      }
      case 'reversal-told': {
        const state = this.reversals.get(record.id);
        if (state) state.told = true;
        return;
      }
      case 'reversed-by-hand':
        this.addReversed(record.reversed);
    }
  }

  private addSweep(sweep: Sweep): void {
    this.receipts.add(sweep.receipt);
    this.sweeps.push(sweep);
    this.sumMinor += parseMinor(sweep.amountMinor);
  }

  private addReversed(reversed: Reversed): void {
    this.receipts.add(reversed.receipt);
    this.reversed.set(reversed.paidReceipt, reversed);
    this.sumMinor += parseMinor(reversed.amountMinor);
  }

  private remember(reversal: AcceptedReversal): ReversalState {
    this.receipts.add(reversal.transactionId);
    const scenario = reversalScenarioOf(reversal.payment?.phone);
    const state: ReversalState = { reversal, scenario, told: false };
    this.reversals.set(reversal.originatorConversationId, state);
    return state;
  }

  private setOutcome(state: ReversalState, settled: Settlement): void {
    state.settled = settled;
    const { payment, transactionId: receipt, paidReceipt, acceptedAtMs } = state.reversal;
    if (settled.result !== 0 || !payment) return;
    this.addReversed({
      receipt,
      paidReceipt,
      phone: payment.phone,
      amountMinor: payment.amountMinor,
      begunAtMs: acceptedAtMs,
      atMs: settled.atMs,
    });
  }
}
