import { type Instant, type Mode } from '#kernel';
import { type RecordedEvent } from '#event-sourcing';
import { type CollectionEvent } from '#collections';
import { type TransactionRow } from '../transactions/item.js';

/** One leg of one event, as the ledger keeps it. */
export interface LedgerEntry {
  readonly position: bigint;
  readonly leg: number;
  readonly event_id: string;
  readonly stream: string;
  readonly mode: Mode;
  readonly currency: string;
  readonly account: string;
  readonly amount_minor: bigint;
  readonly recorded_at: Instant;
}

/** @param row of the event's collection: it says in which mode and currency a leg stands */
export function entriesOf(
  event: RecordedEvent<CollectionEvent>,
  row: TransactionRow | undefined,
): LedgerEntry[] {
  if (!('legs' in event.data) || !row) return [];
  return event.data.legs.map(({ account, amountMinor }, leg) => ({
    position: event.position,
    leg,
    event_id: event.id,
    stream: event.stream,
    mode: row.mode,
    currency: row.currency,
    account,
    amount_minor: amountMinor,
    recorded_at: event.recordedAt,
  }));
}
