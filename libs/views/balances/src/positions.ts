import {
  type EventStore,
  type Position,
  type RecordedEvent,
  UnreadableEvent,
} from '#domain/event-sourcing';
import { type Mode, msFromInstant } from '#domain/kernel';
import { type Queryable } from '#infra/postgres';
import { dayBeginsAt, projectedPrefixes, requireServable, type Servability } from '#views/view-set';

/** An account's merchant, with the time zone of the merchant's days. */
export interface AccountOwner {
  readonly merchantId: string;
  readonly name: string;
  readonly timezone: string;
  readonly mode: Mode;
  readonly accountNo: string;
  readonly currency: string;
  /** Position of the event that opened it. */
  readonly openedAt: Position;
}

type OwnerRow = Servability & {
  readonly [Member in keyof AccountOwner]: AccountOwner[Member] | null;
};

const selectOwner = {
  name: 'owner-of-account',
  text: `
  select c.fresh_at, a.account_no as "accountNo", a.merchant_id as "merchantId", m.name, m.timezone, a.mode,
    a.currency, a.position as "openedAt"
  from checkpoint c
  left join accounts a on a.account_no = $1
  left join merchants m using (merchant_id)`,
};

/** Account numbers are unique in the service. @throws DependencyUnavailable if the views are being built */
export async function findAccountOwner(
  database: Queryable,
  accountNo: string,
): Promise<AccountOwner | undefined> {
  const [row] = await database.query<OwnerRow>(selectOwner, [accountNo]);
  const { fresh_at: _freshAt, ...owner } = requireServable(row);
  return owner.accountNo === null ? undefined : (owner as AccountOwner);
}

const selectDay = `
  select ${dayBeginsAt('$1::date', '$2::text')} as begins,
    ${dayBeginsAt('$1::date + 1', '$2::text')} as ends,
    records.now_() as now`;

/** The bounds of a day in a time zone, from Postgres, which also assigned the list's items to days. */
export async function boundsOfDay(
  database: Queryable,
  day: string,
  timezone: string,
): Promise<{ readonly begins: Date; readonly ends: Date; readonly now: Date }> {
  const [row] = await database.query<{ begins: Date; ends: Date; now: Date }>(selectDay, [
    day,
    timezone,
  ]);
  if (!row) throw new TypeError('the database does not say when a day ends');
  return row;
}

// Finds the last item before the time by bisection, in some forty look-ups. All of them run in this statement, since
// each by itself would be a round trip. No item that was recorded earlier begins at or after "end".
const selectLastItemBefore = {
  name: 'last-item-before',
  text: `
  with recursive search (before, "end") as (
    select 0::bigint, position + 1 from checkpoint
    union all
    select case when found.earlier then found.position else before end,
      case when found.earlier then "end" else middle end
    from (select before, "end", (before + "end") / 2 as middle from search where "end" - before > 1) halved
    cross join lateral (
      select item.position, coalesce(item.position < "end" and item.created_at < $1, false) as earlier
      from (select 1) one
      left join lateral (
        select position, created_at from transactions where position >= middle order by position limit 1
      ) item on true
    ) found
  )
  select before from search order by "end" - before limit 1`,
};

/**
 * Returns the position of the last event before the first one that was recorded at or after a time; 0 if there is none.
 * It searches the list once, and reads the few events between two of its items.
 * @throws DependencyUnavailable
 */
export async function positionBefore(
  {
    database,
    store,
  }: { readonly database: Queryable; readonly store: Pick<EventStore, 'readAll'> },
  time: Date,
): Promise<Position> {
  const [item] = await database.query<{ before: bigint }>(selectLastItemBefore, [time]);
  let before = item?.before ?? 0n;
  for (;;)
    try {
      for await (const event of store.readAll(startAt(before), projectedPrefixes)) {
        if (isAtOrAfter(event, time)) return before;
        before = event.position;
      }
      return before;
    } catch (error) {
      // Even an unreadable event has a known place and time.
      if (!(error instanceof UnreadableEvent)) throw error;
      if (isAtOrAfter(error.place, time)) return before;
      before = error.place.position;
    }
}

function isAtOrAfter({ recordedAt }: Pick<RecordedEvent, 'recordedAt'>, time: Date): boolean {
  return msFromInstant(recordedAt) >= time.getTime();
}

const selectBoundary = {
  name: 'event-at-or-before',
  text: `
  select max(position) as position from (
    (select position from transactions where position <= $1 order by position desc limit 1)
    union all
    (select position from ledger_entries where position <= $1 order by position desc limit 1)
  ) known`,
};

/**
 * Returns the position of an event at or before any number. The store can only read from an event's position. The
 * caller skips the events up to the number itself.
 */
export async function readableBefore(
  database: Queryable,
  position: Position,
): Promise<Position | 'start'> {
  const [row] = await database.query<{ position: bigint | null }>(selectBoundary, [position]);
  return startAt(row?.position ?? 0n);
}

function startAt(position: Position): Position | 'start' {
  return position === 0n ? 'start' : position;
}
