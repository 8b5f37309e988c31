import { type Instant, type Mode } from '#domain/kernel';
import { type RecordedEvent } from '#domain/event-sourcing';
import { type Leg } from '#domain/ledger';
import { type Queryable } from '#infra/postgres';
import { recordset } from '#views/view-set';

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

/** In which mode and currency an event's legs stand: its collection's row says it, or the correction itself. */
export interface LegsPlace {
  readonly mode: Mode;
  readonly currency: string;
}

/** @param place undefined for an event without legs */
export function entriesOf(event: RecordedEvent, place: LegsPlace | undefined): LedgerEntry[] {
  if (!hasLegs(event.data) || !place) return [];
  return event.data.legs.map(({ account, amountMinor }, leg) => ({
    position: event.position,
    leg,
    event_id: event.id,
    stream: event.stream,
    mode: place.mode,
    currency: place.currency,
    account,
    amount_minor: amountMinor,
    recorded_at: event.recordedAt,
  }));
}

function hasLegs(data: object): data is { readonly legs: readonly Leg[] } {
  return 'legs' in data;
}

const insert = {
  name: 'ledger-entries-insert',
  text: `insert into ledger_entries select * from jsonb_populate_recordset(null::ledger_entries, $1)`,
};

/**
 * Writes down every leg of the batch.
 * @param placeOf in which mode and currency the legs of an event stand
 */
export async function projectLedgerEntries(
  transaction: Queryable,
  events: readonly RecordedEvent[],
  placeOf: (event: RecordedEvent) => LegsPlace | undefined,
): Promise<readonly LedgerEntry[]> {
  const entries = events.flatMap((event) => entriesOf(event, placeOf(event)));
  if (entries.length > 0) await transaction.query(insert, [recordset(entries)]);
  return entries;
}
