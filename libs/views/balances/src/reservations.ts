import { type RecordedEvent } from '#domain/event-sourcing';
import { type CorrectionEvent } from '#domain/corrections';
import {
  PostedCredits,
  type ReservationEvent,
  reservationEventTypes,
  reservedWalletOf,
  type Wallet,
} from '#domain/ledger';
import { lateSourceOf, type PayoutEvent } from '#domain/payouts';
import { MicroBatcher, type Queryable } from '#infra/postgres';
import { recordset } from '#views/view-set';
import { type Minor } from '#domain/kernel';

const setTotals = {
  name: 'reservations-set',
  text: `
  insert into reservations select * from json_populate_recordset(null::reservations, $1)
  on conflict (mode, currency, account_no) do update set total_minor = excluded.total_minor`,
};
const open = {
  name: 'open-reservations-insert',
  text: `
  insert into open_reservations select * from json_populate_recordset(null::open_reservations, $1)
  on conflict (source) do update set stream = excluded.stream, amount_minor = excluded.amount_minor,
    reserved_at = excluded.reserved_at, position = excluded.position`,
};
const settle = {
  name: 'open-reservations-delete',
  text: `delete from open_reservations where source = any($1)`,
};

/**
 * Stores the running total of each wallet's reservations, and the open reservations, whose source has not taken them
 * yet. Events are in log order: a source reserves before it takes or gives back.
 */
export async function projectReservations(
  transaction: Queryable,
  events: readonly RecordedEvent<ReservationEvent | CorrectionEvent | PayoutEvent>[],
): Promise<void> {
  const totals = new Map<string, object>();
  const opened = new Map<string, object>();
  const settled = new Set<string>();
  for (const event of events) {
    if (!isReservation(event)) {
      for (const source of takenBy(event)) {
        settled.add(source);
        opened.delete(source);
      }
      continue;
    }
    const { stream, data, recordedAt, position } = event;
    totals.set(stream, totalRow(event));
    const { source, amountMinor: amount_minor } = data;
    settled.add(source);
    opened.delete(source);
    if (event.type === 'FundsReserved')
      opened.set(source, { source, stream, amount_minor, reserved_at: recordedAt, position });
  }
  if (totals.size > 0) await transaction.query(setTotals, [recordset([...totals.values()])]);
  if (settled.size > 0) await transaction.query(settle, [[...settled]]);
  if (opened.size > 0) await transaction.query(open, [recordset([...opened.values()])]);
}

function isReservation(event: RecordedEvent): event is RecordedEvent<ReservationEvent> {
  return event.type in reservationEventTypes;
}

/** The sources whose money the event has taken; their reservations are no longer open. */
function takenBy({ type, stream }: RecordedEvent): readonly string[] {
  if (type === 'CorrectionPosted') return [stream];
  return type === 'WalletPosted' ? [stream, lateSourceOf(stream)] : [];
}

/** @throws TypeError if the stream names no wallet */
function totalRow({ stream, data }: RecordedEvent<ReservationEvent>): object {
  const wallet = reservedWalletOf(stream);
  if (!wallet) throw new TypeError(`${stream} names no wallet`);
  const { mode, currency, accountNo: account_no } = wallet;
  return { mode, currency, account_no, total_minor: data.totalMinor };
}

const selectCredits = {
  name: 'credits-of-wallet',
  text: `
  select b.credits_minor
  from unnest($1::text[], $2::text[], $3::text[]) with ordinality as w (mode, currency, account_no, at)
  left join balances b
    on b.mode = w.mode and b.currency = w.currency and b.account = 'wallet:' || w.account_no
  order by w.at`,
};

/**
 * Credits from the view of balances. The view lags, and a view that is being built has too little, never too much.
 * Callers that arrive while a statement runs share the next one.
 */
export class ProjectedCredits extends PostedCredits {
  private readonly batcher: MicroBatcher<Wallet, Minor>;

  constructor(database: Queryable) {
    super();
    this.batcher = new MicroBatcher({ flush: (wallets) => readCredits(database, wallets) });
  }

  override creditsOf(wallet: Wallet): Promise<Minor> {
    return this.batcher.add(wallet);
  }
}

async function readCredits(database: Queryable, wallets: readonly Wallet[]): Promise<Minor[]> {
  const rows = await database.query<{ credits_minor: string | null }>(selectCredits, [
    wallets.map(({ mode }) => mode),
    wallets.map(({ currency }) => currency),
    wallets.map(({ accountNo }) => accountNo),
  ]);
  return rows.map(({ credits_minor }) => BigInt(credits_minor ?? 0));
}

const selectLeft = {
  name: 'reservations-left',
  text: `
  select source from open_reservations
  where source like 'correction-%' and reserved_at <= records.now_() - $1 * interval '1 millisecond'
    and source > $3
  order by source limit $2`,
};

/**
 * The streams of corrections whose funds have been reserved this long without a posting, in the order of their names.
 * @param left `after`: the stream after which the page begins
 */
export async function unfinishedCorrections(
  database: Queryable,
  left: { readonly olderThanMs: number; readonly limit: number; readonly after?: string },
): Promise<string[]> {
  const { olderThanMs, limit, after = '' } = left;
  const values = [olderThanMs, limit, after];
  const rows = await database.query<{ source: string }>(selectLeft, values);
  return rows.map(({ source }) => source);
}
