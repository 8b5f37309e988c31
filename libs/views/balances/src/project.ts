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
interface LegsPlace {
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
  text: `insert into ledger_entries select * from json_populate_recordset(null::ledger_entries, $1)`,
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

/** What entries add to an account, credits and debits apart, both positive. */
interface BalanceChange {
  readonly mode: Mode;
  readonly currency: string;
  readonly account: string;
  readonly credits_minor: bigint;
  readonly debits_minor: bigint;
}

/** One change per account that the entries touch. */
export function balanceChanges(entries: readonly LedgerEntry[]): readonly BalanceChange[] {
  const sums = new Map<string, { credits: bigint; debits: bigint; entry: LedgerEntry }>();
  for (const entry of entries) {
    const key = `${entry.mode}:${entry.currency}:${entry.account}`;
    const sum = sums.get(key) ?? { credits: 0n, debits: 0n, entry };
    if (entry.amount_minor >= 0n) sum.credits += entry.amount_minor;
    else sum.debits -= entry.amount_minor;
    sums.set(key, sum);
  }
  return [...sums.values()].map(({ credits, debits, entry }) => ({
    mode: entry.mode,
    currency: entry.currency,
    account: entry.account,
    credits_minor: credits,
    debits_minor: debits,
  }));
}

const add = {
  name: 'balances-add',
  text: `
  insert into balances as b
  select * from json_populate_recordset(null::balances, $1)
  on conflict (mode, currency, account) do update set
    credits_minor = b.credits_minor + excluded.credits_minor,
    debits_minor = b.debits_minor + excluded.debits_minor`,
};

/** Adds the batch's legs to the balances, one row per account. */
export async function projectBalances(
  transaction: Queryable,
  entries: readonly LedgerEntry[],
): Promise<void> {
  if (entries.length === 0) return;
  await transaction.query(add, [recordset(balanceChanges(entries))]);
}
