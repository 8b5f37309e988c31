import type { Receipts, Recorder } from '#shared/simulator';
import {
  type AcceptedPayout,
  newConversationId,
  newPayout,
  type PayoutRequest,
  type PayoutState,
} from './payout.js';

type Settlement = NonNullable<PayoutState['settled']>;

/** A record of the journal about a payout. */
export type PayoutRecord =
  | { readonly kind: 'payout'; readonly payout: AcceptedPayout }
  | ({ readonly kind: 'payout-settled'; readonly id: string } & Settlement)
  | { readonly kind: 'payout-told'; readonly id: string };

/** The payouts that the rail accepted, by the caller's own name for each. */
export class Payouts {
  readonly accepted = new Map<string, PayoutState>();
  paidOut = 0;
  paidOutMinor = 0n;

  constructor(
    private readonly receipts: Receipts,
    private readonly journal: Recorder<PayoutRecord>,
  ) {}

  /**
   * Resolves once the payout is on the disk.
   * @returns undefined if its name was used before
   */
  async accept(
    request: PayoutRequest,
    times: Pick<AcceptedPayout, 'acceptedAtMs' | 'delayMs'>,
  ): Promise<PayoutState | undefined> {
    if (this.accepted.has(request.originatorConversationId)) return undefined;
    const payout: AcceptedPayout = {
      ...request,
      ...times,
      conversationId: newConversationId(times.acceptedAtMs),
      transactionId: this.receipts.make(times.acceptedAtMs),
    };
    // Remembered before the write: of two requests at the same time, only one is accepted.
    const state = this.remember(payout);
    await this.journal.append({ kind: 'payout', payout });
    return state;
  }

  /** Sets the outcome of the payout. It is on the disk before any report of it. */
  async settle(state: PayoutState, settled: Settlement): Promise<void> {
    this.setOutcome(state, settled);
    const id = state.payout.originatorConversationId;
    await this.journal.append({ kind: 'payout-settled', id, ...settled });
  }

  /** Notes that every callback of the result was tried. */
  finish(state: PayoutState): void {
    state.told = true;
    this.journal.note({ kind: 'payout-told', id: state.payout.originatorConversationId });
  }

  replay(record: PayoutRecord): void {
    if (record.kind === 'payout') {
      this.remember(record.payout);
      return;
    }
    const state = this.accepted.get(record.id);
    if (!state) return;
    if (record.kind === 'payout-told') state.told = true;
    else this.setOutcome(state, { result: record.result, atMs: record.atMs });
  }

  private remember(payout: AcceptedPayout): PayoutState {
    this.receipts.add(payout.transactionId);
    const state = newPayout(payout);
    this.accepted.set(payout.originatorConversationId, state);
    return state;
  }

  private setOutcome(state: PayoutState, settled: Settlement): void {
    state.settled = settled;
    if (settled.result !== 0) return;
    this.paidOut += 1;
    this.paidOutMinor += BigInt(state.payout.amountMinor);
  }
}
