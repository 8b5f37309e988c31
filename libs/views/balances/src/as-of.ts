import { type EventStore, type Position } from '#domain/event-sourcing';
import { instantFromMs, type Minor } from '#domain/kernel';
import { type ReservationEvent, reservationsStream } from '#domain/ledger';
import { type Queryable } from '#infra/postgres';
import {
  ownServability,
  type ReadBound,
  requireOwnServable,
  requireReached,
} from '#views/view-set';
import { type AccountOfMerchant, type Balance, balanceOf, type BalanceRow } from './query.js';
import { sumsUpTo } from './sections.js';

/**
 * Sources of a past balance: the ledger’s sections and entries for credits and debits, the wallet's own stream for
 * reservations.
 */
interface Ledger {
  readonly database: Queryable;
  readonly store: Pick<EventStore, 'readStream' | 'readLast'>;
}

type Row = Omit<BalanceRow, 'reserved_or_paid_minor'>;

// If the account was opened later, it does not count.
const select = {
  name: 'balance-as-of',
  text: `
  select c.position, a.currency,
    ${ownServability({ merchant: '$1', mode: '$2' })},
    coalesce(e.credits_minor, 0)::text as credits_minor, coalesce(e.debits_minor, 0)::text as debits_minor
  from checkpoint c
  left join accounts a
    on a.account_no = $3 and a.merchant_id = $1 and a.mode = $2 and a.position <= $4
  left join lateral ${sumsUpTo({
    mode: 'a.mode',
    currency: 'a.currency',
    account: `'wallet:' || a.account_no`,
    position: '$4',
  })} e on true`,
};

/**
 * The balance as of a position of the log, exactly as the view had it when its checkpoint was there (LIST-21).
 * @param position any number: the state is that after the last event at or before it
 * @returns undefined if the account was not the merchant's in this mode then
 * @throws DependencyUnavailable if the views are being built, are too old, or have not reached the position
 */
export async function findBalanceAsOf(
  { database, store }: Ledger,
  account: AccountOfMerchant,
  position: Position,
  bound: ReadBound,
): Promise<Balance | undefined> {
  const { merchantId, mode, accountNo } = account;
  const [found] = await database.query<Row>(select, [merchantId, mode, accountNo, position]);
  const row = requireOwnServable(found, bound);
  requireReached(row.position, position);
  const { currency } = row;
  if (currency === null) return undefined;
  const stream = reservationsStream({ mode, merchantId, accountNo, currency });
  const reserved = await reservedAsOf(store, stream, position);
  return {
    ...balanceOf(accountNo, {
      currency,
      credits: BigInt(row.credits_minor),
      debits: BigInt(row.debits_minor),
      reservedOrPaid: reserved,
    }),
    position,
    asOf: instantFromMs(row.fresh_at.getTime()),
  };
}

/**
 * The running total of a wallet's reservations at that position. A binary search reads some twenty of its events,
 * however many there are.
 */
async function reservedAsOf(
  store: Ledger['store'],
  stream: string,
  position: Position,
): Promise<Minor> {
  const last = await store.readLast<ReservationEvent>(stream);
  if (!last) return 0n;
  if (last.position <= position) return last.data.totalMinor;
  let found = 0n;
  // For revisions from `from` up to `before`, it is not known yet if they are at or before the position.
  for (let [from, before] = [0n, last.revision]; from < before;) {
    const middle = (from + before) / 2n;
    const [event] = await store.readStream<ReservationEvent>(stream, middle, 1);
    if (!event) throw new TypeError(`${stream} has no revision ${middle}`);
    if (event.position <= position) [found, from] = [event.data.totalMinor, middle + 1n];
    else before = middle;
  }
  return found;
}
