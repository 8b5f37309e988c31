import { type RecordedEvent } from '#domain/event-sourcing';
import { msFromInstant } from '#domain/kernel';
import { type ReservationEvent, reservationEventTypes } from '#domain/ledger';
import { lateSourceOf, type PayoutEvent } from '#domain/payouts';
import { type OpenPayout, stepAfter, type PayoutStep } from '#views/payouts';
import { type TransactionRow } from '#views/transactions';

export interface OpenPayoutRow extends OpenPayout {
  readonly step: PayoutStep;
  readonly sinceMs: number;
}

/** The views of payouts and of reservations, as libs/views/payouts and libs/views/balances have them. */
export class PayoutViews {
  readonly open = new Map<string, OpenPayoutRow>();
  /** The running total of each wallet's reservations, by the stream that holds them. */
  readonly totals = new Map<string, bigint>();
  /** When what stands for a source, and is not taken yet, was reserved. */
  readonly openReservations = new Map<string, number>();
  readonly paidNumbers = new Set<string>();

  applyReservation({ type, stream, data, recordedAt }: RecordedEvent<ReservationEvent>): void {
    this.totals.set(stream, data.totalMinor);
    if (type === 'FundsReserved') this.openReservations.set(data.source, msFromInstant(recordedAt));
    else this.openReservations.delete(data.source);
  }

  applyPayout(event: RecordedEvent<PayoutEvent>, row: TransactionRow): void {
    const { stream, type, recordedAt } = event;
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
      ...{ stream, mode, channel, position, step, sinceMs, originatorConversationId: named },
    });
  }

  ofStep(step: PayoutStep): readonly OpenPayoutRow[] {
    return [...this.open.values()].filter((row) => row.step === step);
  }
}

export function isReservation(event: RecordedEvent): event is RecordedEvent<ReservationEvent> {
  return event.type in reservationEventTypes;
}

export function isOfPayout(event: RecordedEvent): event is RecordedEvent<PayoutEvent> {
  return event.stream.startsWith('payout-');
}
