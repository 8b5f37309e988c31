import { type EventStore, type Position } from '#domain/event-sourcing';
import { concurrently, instantFromMs, msFromInstant } from '#domain/kernel';
import { type Queryable } from '#infra/postgres';
import {
  dayBeginsAt,
  ownServability,
  type OwnServability,
  type ReadBound,
  requireOwnServable,
  requireReached,
} from '#views/view-set';
import { needsAttention } from './attention.js';
import { itemOf, paidInstant, phonesOf, type TransactionRow } from './fields.js';
import { type ItemEvent, projectTransaction } from './item.js';
import {
  cameBy,
  createdOn,
  listedDay,
  ofType,
  owner,
  type TransactionsPage,
  type Value,
} from './page-parts.js';
import {
  type ListedTransactions,
  nameOf,
  newest,
  ofBatch,
  ofListedDays,
  ofStatuses,
  type PageStatement,
} from './query.js';

/** Sources of a past page: the view gives the candidates, and each of their streams the past state. */
export interface PastList {
  readonly database: Queryable;
  readonly store: Pick<EventStore, 'readStream'>;
  /** If absent, the usual limits. */
  readonly work?: Work;
}

/** Limits on the cost of one page. */
interface Work {
  /** Maximum number of streams to read. */
  readonly maxStreams: number;
  /** Maximum number of items to walk past, if no index serves the filters. */
  readonly maxWalked: number;
}

/** Enough for the largest page; some tens of milliseconds. */
const usualWork: Work = { maxStreams: 100, maxWalked: 10_000 };
const streamsAtOnce = 16;

type Row = OwnServability & {
  readonly ledger_position: bigint;
  readonly fresh_at: Date;
  /** Null if no item is a candidate. */
  readonly position: bigint | null;
  readonly stream: string;
  /** The oldest item that was walked past; null if none is left after it. */
  readonly walked_to: bigint | null;
  /** The requested days, as instants in the merchant's zone. */
  readonly begins: Date | null;
  readonly ends: Date | null;
};

/**
 * A page as of a position of the log: items that had begun, each folded from its stream up to there. The filters apply
 * to that state (LIST-22). The work is limited whatever the history: a page may contain fewer items than its limit, or
 * none, and still have a next page.
 * @param position any number: the state is that after the last event at or before it
 * @throws DependencyUnavailable if the views are being built, are too old, or have not reached the position
 */
export async function listTransactionsAsOf(
  { database, store, work = usualWork }: PastList,
  page: TransactionsPage,
  position: Position,
  bound: ReadBound,
): Promise<ListedTransactions> {
  const { values, ...statement } = candidatesStatement(page, position, work);
  const rows = await database.query<Row>(statement, values);
  const first = requireOwnServable(rows[0], bound);
  requireReached(first.ledger_position, position);
  const candidates = rows.flatMap(({ position: at, stream }) =>
    at === null ? [] : [{ position: at, stream }],
  );
  const read = candidates.slice(0, work.maxStreams);
  const found: TransactionRow[] = [];
  let looked = 0;
  while (looked < read.length && found.length < page.limit) {
    const some = read.slice(looked, looked + page.limit - found.length);
    const folded = await foldAll(store, some, position);
    found.push(...folded.filter((row) => matches(row, page, first)));
    looked += some.length;
  }
  // More candidates may follow the last one that was read, known ones or ones that were not walked to.
  const next = looked < candidates.length ? read[looked - 1]?.position : first.walked_to;
  return {
    items: found.map(itemOf),
    phones: phonesOf(found),
    ...(next === null || next === undefined ? {} : { next }),
    position,
    asOf: instantFromMs(first.fresh_at.getTime()),
  };
}

/** Returns the rows in the order of the candidates. */
async function foldAll(
  store: PastList['store'],
  candidates: readonly { readonly stream: string }[],
  upTo: Position,
): Promise<readonly TransactionRow[]> {
  const rows = new Map<string, TransactionRow>();
  await concurrently(candidates, streamsAtOnce, async ({ stream }) => {
    let row: TransactionRow | undefined;
    for (const event of await store.readStream<ItemEvent>(stream))
      if (event.position <= upTo) row = projectTransaction(row, event);
    if (row) rows.set(stream, row);
  });
  return candidates.flatMap(({ stream }) => rows.get(stream) ?? []);
}

/** Applies the filters that did not choose the candidates. Type and day of creation never change. */
function matches(
  row: TransactionRow,
  { status, dateField, from, to, attention }: TransactionsPage,
  { begins, ends }: Pick<Row, 'begins' | 'ends'>,
): boolean {
  if (attention && !needsAttention(row)) return false;
  if (status !== undefined && row.status !== status) return false;
  if (dateField === 'created_at' || (from === undefined && to === undefined)) return true;
  const instant = dateField === 'completed_at' ? row.completed_at : paidInstant(row);
  if (instant === null) return false;
  // Compare numbers: as text, an instant of the year 10000 sorts before all others.
  const atMs = msFromInstant(instant);
  return (begins === null || atMs >= begins.getTime()) && (ends === null || atMs < ends.getTime());
}

/** Selects a superset of the page and of the next ones, newest first: one more than the number of streams to read. */
function candidatesStatement(
  asked: TransactionsPage,
  position: Position,
  { maxStreams, maxWalked }: Work,
): PageStatement {
  const values: unknown[] = [];
  const value: Value = (of) => `$${values.push(of)}`;
  const behind = position + 1n;
  const before = asked.before === undefined || asked.before > behind ? behind : asked.before;
  const page = { ...asked, before, limit: maxStreams };
  const whose = { merchant: value(page.merchantId), mode: value(page.mode) };
  const timezone = `(select m.timezone from merchants m where m.merchant_id = ${whose.merchant})`;
  const edge = (day: string | undefined, days: number): string =>
    day === undefined
      ? 'null::timestamptz'
      : dayBeginsAt(`${value(day)}::date + ${days}`, timezone);
  return {
    // Completed items are selected differently from other statuses, so they have a name of their own.
    name: nameOf(page, page.status === 'completed' ? 'done' : 'then'),
    text: `
    select c.position as ledger_position, ${ownServability(whose)},
      ${edge(page.from, 0)} as begins, ${edge(page.to, 1)} as ends,
      t.position, t.stream, t.walked_to
    from checkpoint c
    left join lateral (${candidates(page, { position, maxWalked }, value)}) t on true
    order by t.position desc nulls last`,
    values,
  };
}

/** The position of the state, and the limit of a walk. */
interface Reach {
  readonly position: Position;
  readonly maxWalked: number;
}

function candidates(page: TransactionsPage, reach: Reach, value: Value): string {
  const { dateField, from, to, status, batch } = page;
  const plain = (items: string): string =>
    `select i.position, i.stream, null::bigint as walked_to from (${items}) i`;
  // Status and attention are matched in the state at the position.
  const { status: _status, attention, ...anyStatus } = page;
  if (batch !== undefined) {
    const { from: _from, to: _to, ...anyDay } = anyStatus;
    return plain(ofBatch(dateField === 'created_at' ? anyStatus : anyDay, batch, value));
  }
  // An account's items, and those that needed attention, have no index that shows them as they were.
  if (attention || page.accountNo !== undefined) return walked(page, reach, value);
  // A completed item stays completed, so the position of its completion shows what was completed then.
  const completed = (item: string): string =>
    `${item}.completed_position <= ${value(reach.position)}`;
  const isCompleted = (): string =>
    `exists (select from transactions t where t.position = l.position and ${completed('t')})`;
  if (dateField !== 'created_at' && (from !== undefined || to !== undefined)) {
    const onlyCompleted = dateField === 'completed_at' || status === 'completed';
    if (onlyCompleted && (status ?? 'completed') !== 'completed')
      return plain('select * from transactions where false');
    const wanted = onlyCompleted ? { ...anyStatus, status: 'completed' as const } : anyStatus;
    const more = onlyCompleted ? [isCompleted()] : [];
    const listed = ofListedDays(wanted, listedDay[dateField], value, more);
    if (dateField === 'completed_at') return plain(listed);
    return plain(`
      select * from (${listed}) now_there
      union
      select * from (${leftDays(page, value)}) left_it
      order by position desc limit ${value(page.limit + 1)}`);
  }
  if (status === undefined) return plain(newest(page, value));
  if (status === 'completed') return plain(ofStatuses(page, [status], value, [completed('t')]));
  return walked(page, reach, value);
}

/** Items that now have another day of payment. */
function leftDays(page: TransactionsPage, value: Value): string {
  const { from, to } = page;
  const conditions = [
    ...owner(page, 'd', value),
    ...(from === undefined ? [] : [`d.day >= ${value(from)}::date`]),
    ...(to === undefined ? [] : [`d.day <= ${value(to)}::date`]),
    ...ofType(page),
    ...cameBy(page),
  ];
  return `
    select distinct t.* from paid_days_left d join transactions t using (position)
    where ${conditions.join(' and ')}
    order by t.position desc limit ${value(page.limit + 1)}`;
}

/**
 * Any item that was not completed then may have had the status, whatever its status is now. So the statement walks them
 * in the order of the list, up to a maximum number. Nearly all items may be v4's, so no index has those alone.
 */
function walked(page: TransactionsPage, { position, maxWalked }: Reach, value: Value): string {
  const { accountNo, origin } = page;
  const isCandidate = [
    'true',
    ...(origin === 'v4' ? [`came_by = 'v4'`] : []),
    ...(accountNo === undefined ? [] : [`account_no = ${value(accountNo)}`]),
    ...(mayBeCompleted(page)
      ? []
      : [`(completed_position is null or completed_position > ${value(position)})`]),
  ].join(' and ');
  const conditions = [
    ...owner(page, 't', value),
    ...ofType(page),
    ...(origin === 'v4' ? [] : cameBy(page)),
    ...(page.dateField === 'created_at' ? createdOn(page, 't', value) : []),
  ];
  const max = value(maxWalked);
  return `
    with walked as materialized (
      select t.position, t.stream, t.account_no, t.came_by, t.completed_position from transactions t
      where ${conditions.join(' and ')}
      order by t.position desc limit ${max}
    ),
    over as (select case when count(*) = ${max} then min(position) end as walked_to from walked)
    select w.position, w.stream, over.walked_to
    from over left join lateral (
      select position, stream from walked
      where ${isCandidate}
      order by position desc limit ${value(page.limit + 1)}
    ) w on true`;
}

/** False if the filters leave out every item that was completed: its status was another one. */
function mayBeCompleted({ status }: TransactionsPage): boolean {
  return status === undefined || status === 'completed';
}
