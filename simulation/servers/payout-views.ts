import { type RecordedEvent } from '#domain/event-sourcing';
import { msFromInstant } from '#domain/kernel';
import { type ReservationEvent, reservationEventTypes } from '#domain/ledger';
import { type PauseEvent } from '#domain/merchants';
import {
  lateSourceOf,
  pausesStream,
  type PayoutBatchEvent,
  payoutBatchKeyOf,
  type PayoutEvent,
  payoutKeyOf,
} from '#domain/payouts';
import {
  type batchCounts,
  type BatchStep,
  batchStepAfter,
  countedAs,
  noneCounted,
  type OpenPayout,
  type PayoutStep,
  stepAfter,
} from '#views/payouts';
import { type TransactionRow } from '#views/transactions';
import { batchStreamOf } from '../names.js';

export interface OpenPayoutRow extends OpenPayout {
  readonly step: PayoutStep;
  readonly sinceMs: number;
}

/** A batch's progress, counted by its payouts. */
export interface BatchRow extends Record<(typeof batchCounts)[number], number> {
  readonly items: number;
  step: 'requested' | BatchStep;
  sinceMs: number;
}

/** True if its payouts have not followed it yet, as in the view's column. */
export function isBehind({ step, items, ...count }: BatchRow): boolean {
  if (step === 'requested') return count.reserved < items;
  if (step === 'approved') return count.approved < items;
  if (step === 'cancelled') return count.started + count.rejected < items;
  return count.rejected < count.recorded;
}

/** The views of payouts and of reservations, like those of libs/views/payouts and libs/views/balances. */
export class PayoutViews {
  readonly open = new Map<string, OpenPayoutRow>();
  /** The running total of each wallet's reservations, by their stream. */
  readonly totals = new Map<string, bigint>();
  /** The time of each reservation that is not taken yet, by source. */
  readonly openReservations = new Map<string, number>();
  readonly paidNumbers = new Set<string>();
  readonly batches = new Map<string, BatchRow>();
  /** True while payouts of the simulated mode are paused. */
  isPaused = false;

  applyPause({ type }: RecordedEvent<PauseEvent>): void {
    this.isPaused = type === 'PayoutsPaused';
  }

  applyReservation({ type, stream, data, recordedAt }: RecordedEvent<ReservationEvent>): void {
    this.totals.set(stream, data.totalMinor);
    if (type === 'FundsReserved') this.openReservations.set(data.source, msFromInstant(recordedAt));
    else this.openReservations.delete(data.source);
  }

  applyBatch({ type, stream, data, recordedAt }: RecordedEvent<PayoutBatchEvent>): void {
    const sinceMs = msFromInstant(recordedAt);
    const row = this.batches.get(stream);
    if (row) {
      row.step = batchStepAfter({ type }, row.step);
      row.sinceMs = sinceMs;
      return;
    }
    this.batches.set(stream, { items: data.count, step: 'requested', sinceMs, ...noneCounted });
  }

  applyPayout(event: RecordedEvent<PayoutEvent>, row: TransactionRow): void {
    const { stream, type, recordedAt } = event;
    this.#count(event, row);
    if (type === 'WalletPosted') {
      this.openReservations.delete(stream);
      this.openReservations.delete(lateSourceOf(stream));
      this.paidNumbers.add(`${row.account_no} ${row.phone_hmac ?? ''}`);
    }
    const step = stepAfter(event);
    if (step === 'same') return;
    if (step === 'none') {
      this.open.delete(stream);
      return;
    }
    const named =
      type === 'RailPayoutStarted'
        ? event.data.originatorConversationId
        : (this.open.get(stream)?.originatorConversationId ?? null);
    const { mode, channel, position } = row;
    const sinceMs = msFromInstant(recordedAt);
    this.open.set(stream, {
      stream,
      mode,
      channel,
      position,
      step,
      sinceMs,
      originatorConversationId: named,
    });
  }

  #count(event: RecordedEvent<PayoutEvent>, { batch_reference: reference }: TransactionRow): void {
    const counted = countedAs(event);
    const batch = reference === null ? undefined : this.batches.get(batchStreamOf(reference));
    if (counted && batch) batch[counted] += 1;
  }

  ofStep(step: PayoutStep): readonly OpenPayoutRow[] {
    return [...this.open.values()].filter((row) => row.step === step);
  }
}

export function isReservation(event: RecordedEvent): event is RecordedEvent<ReservationEvent> {
  return event.type in reservationEventTypes;
}

export function isPause(event: RecordedEvent): event is RecordedEvent<PauseEvent> {
  return event.stream === pausesStream;
}

export function isOfPayout(event: RecordedEvent): event is RecordedEvent<PayoutEvent> {
  return payoutKeyOf(event.stream) !== undefined;
}

export function isOfBatch(event: RecordedEvent): event is RecordedEvent<PayoutBatchEvent> {
  return payoutBatchKeyOf(event.stream) !== undefined;
}
