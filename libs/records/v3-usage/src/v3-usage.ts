import { type Instant } from '#domain/kernel';
import { type Database, type Queryable } from '#infra/postgres';
import {
  listCollectionOrigins,
  listMovingMerchants,
  type Readiness,
  readinessDaysUpTo,
  readinessFrom,
  unknownV3Caller,
  type V3Calls,
  type V3CheckoutLinks,
  type V3PhoneReferences,
} from '#views/v3-usage';

/** A part of one day in which a replica counted every call. */
export interface V3Counting {
  readonly day: string;
  readonly firstAt: Date;
  readonly lastAt: Date;
}

/** The counts of a replica since its last write. */
export interface V3Counts {
  readonly calls: readonly V3Calls[];
  readonly links: readonly V3CheckoutLinks[];
  readonly phoneReferences: readonly V3PhoneReferences[];
  readonly counting: readonly V3Counting[];
}

const addCalls = {
  name: 'v3-calls-add',
  text: `
  insert into records.v3_calls as known (day, merchant_id, route, calls)
    select * from unnest($1::date[], $2::text[], $3::text[], $4::bigint[])
  on conflict (day, merchant_id, route) do update set calls = known.calls + excluded.calls`,
};
const addLinks = {
  name: 'v3-checkout-links-add',
  text: `
  insert into records.v3_checkout_links as known (day, merchant_id, links, movable)
    select * from unnest($1::date[], $2::text[], $3::bigint[], $4::bigint[])
  on conflict (day, merchant_id) do update
    set links = known.links + excluded.links, movable = known.movable + excluded.movable`,
};
const addPhoneReferences = {
  name: 'v3-phone-references-add',
  text: `
  insert into records.v3_phone_references as known (day, merchant_id, collections)
    select * from unnest($1::date[], $2::text[], $3::bigint[])
  on conflict (day, merchant_id) do update set collections = known.collections + excluded.collections`,
};
// Several replicas count the same minutes: the statement adds only minutes after the last known one.
const addCounting = {
  name: 'v3-counted-days-add',
  text: `
  with stretch as (
    select day, first_at, last_at,
      floor(extract(epoch from first_at at time zone 'UTC' - day) / 60)::int as first_minute,
      floor(extract(epoch from last_at at time zone 'UTC' - day) / 60)::int as last_minute
    from unnest($1::date[], $2::timestamptz[], $3::timestamptz[]) as given (day, first_at, last_at)
  )
  insert into records.v3_counted_days as known (day, first_at, last_at, minutes, last_minute)
    select day, first_at, last_at, last_minute - first_minute + 1, last_minute from stretch
  on conflict (day) do update set
    first_at = least(known.first_at, excluded.first_at),
    last_at = greatest(known.last_at, excluded.last_at),
    minutes = known.minutes + greatest(0, excluded.last_minute
      - greatest(known.last_minute, excluded.last_minute - excluded.minutes)),
    last_minute = greatest(known.last_minute, excluded.last_minute)`,
};

/**
 * Adds the counts of a replica, all or nothing. If the commit's answer is lost the caller adds them again, so that the
 * counts are rather too high than too low.
 * @throws DependencyUnavailable
 */
export async function addV3Counts(database: Database, counts: V3Counts): Promise<void> {
  const byKey = <Row extends { day: string; merchantId: string }>(rows: readonly Row[]): Row[] =>
    // All replicas use the same order, so that no two of them deadlock.
    rows.toSorted((a, b) => compare(keyOf(a), keyOf(b)));
  const [calls, links] = [byKey(counts.calls), byKey(counts.links)];
  const phoneReferences = byKey(counts.phoneReferences);
  await database.transaction(async (transaction) => {
    if (calls.length > 0)
      await transaction.query(addCalls, [
        calls.map(({ day }) => day),
        calls.map(({ merchantId }) => merchantId),
        calls.map(({ route }) => route),
        calls.map((row) => row.calls),
      ]);
    if (links.length > 0)
      await transaction.query(addLinks, [
        links.map(({ day }) => day),
        links.map(({ merchantId }) => merchantId),
        links.map((row) => row.links),
        links.map(({ movable }) => movable),
      ]);
    if (phoneReferences.length > 0)
      await transaction.query(addPhoneReferences, [
        phoneReferences.map(({ day }) => day),
        phoneReferences.map(({ merchantId }) => merchantId),
        phoneReferences.map(({ collections }) => collections),
      ]);
    await transaction.query(addCounting, [
      counts.counting.map(({ day }) => day),
      counts.counting.map(({ firstAt }) => firstAt),
      counts.counting.map(({ lastAt }) => lastAt),
    ]);
  });
}

function keyOf({ day, merchantId, ...rest }: { day: string; merchantId: string }): string {
  return `${day} ${merchantId} ${'route' in rest ? String(rest.route) : ''}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const usage = `
  select
    coalesce((select sum(calls) from records.v3_calls
      where day >= $1::date - $2::int and merchant_id <> $3), 0)::float8 as calls,
    (select min(first_at) from records.v3_counted_days) as since,
    array(
      select days.day::date::text
      -- Without a zone: a series of dates would be one of midnights in the server's.
      from generate_series(($1::date - $2::int)::timestamp, ($1::date - 1)::timestamp, interval '1 day')
        as days (day)
      left join records.v3_counted_days counted on counted.day = days.day::date
      where counted.day is null
        or days.day at time zone 'UTC' < (select min(first_at) from records.v3_counted_days)
      order by days.day
    ) as uncounted`;

/** The counters of the days before today. */
export interface V3CountedUsage {
  /** Calls of merchants on those days and today so far. */
  readonly callsInWindow: number;
  /** The time at which the first replica began to count; undefined if none ever did. */
  readonly countingSince: Date | undefined;
  /** Whole days before today that were not counted, or not from their beginning; oldest first. */
  readonly uncountedDays: readonly string[];
}

/** @param today YYYY-MM-DD, UTC @param days whole days before today */
export async function findV3Usage(
  database: Queryable,
  today: string,
  days: number,
): Promise<V3CountedUsage> {
  const [row] = await database.query<{ calls: number; since: Date | null; uncounted: string[] }>(
    usage,
    [today, days, unknownV3Caller],
  );
  return {
    callsInWindow: row?.calls ?? 0,
    countingSince: row?.since ?? undefined,
    uncountedDays: row?.uncounted ?? [],
  };
}

const callsSince = `
  select day, merchant_id as "merchantId", route, calls::float8 as calls
    from records.v3_calls where day >= $1 and ($2::text is null or merchant_id = $2) order by day, merchant_id, route`;
const linksSince = `
  select day, merchant_id as "merchantId", links::float8 as links, movable::float8 as movable
    from records.v3_checkout_links where day >= $1 and ($2::text is null or merchant_id = $2) order by day, merchant_id`;
const phoneReferencesSince = `
  select day, merchant_id as "merchantId", collections::float8 as collections
    from records.v3_phone_references where day >= $1 and ($2::text is null or merchant_id = $2) order by day, merchant_id`;
const countedSince = `
  select day, minutes from records.v3_counted_days where day >= $1 order by day`;

/** Oldest first. @param since YYYY-MM-DD, UTC, inclusive @param merchantId only this merchant's */
export function listV3Calls(
  database: Queryable,
  since: string,
  merchantId?: string,
): Promise<V3Calls[]> {
  return database.query<V3Calls>(callsSince, [since, merchantId ?? null]);
}

/** Oldest first. */
export function listV3CheckoutLinks(
  database: Queryable,
  since: string,
  merchantId?: string,
): Promise<V3CheckoutLinks[]> {
  return database.query<V3CheckoutLinks>(linksSince, [since, merchantId ?? null]);
}

/** Oldest first. */
function listV3PhoneReferences(
  database: Queryable,
  since: string,
  merchantId?: string,
): Promise<V3PhoneReferences[]> {
  return database.query<V3PhoneReferences>(phoneReferencesSince, [since, merchantId ?? null]);
}

/** Minutes of each day in which a replica counted. A day that is absent has none. */
export function listV3CountedDays(
  database: Queryable,
  since: string,
): Promise<{ readonly day: string; readonly minutes: number }[]> {
  return database.query(countedSince, [since]);
}

/**
 * The progress of merchants towards V4, over 90 days.
 * @param merchantId only this merchant; calls without a known merchant belong to none. The result has no merchants if
 *   this one has no V3 credential and never called V3.
 * @throws DependencyUnavailable if the views were never caught up
 */
export async function readV3Readiness(
  database: Queryable,
  at: { readonly now: Instant; readonly gaDate: string },
  merchantId?: string,
): Promise<Readiness> {
  const [since = ''] = readinessDaysUpTo(at.now);
  const calls = await listV3Calls(database, since, merchantId);
  const links = await listV3CheckoutLinks(database, since, merchantId);
  const counted = {
    calls,
    links,
    phoneReferences: await listV3PhoneReferences(database, since, merchantId),
    origins: await listCollectionOrigins(database, since, merchantId),
    countedDays: (await listV3CountedDays(database, since)).map(({ day }) => day),
    moving: await listMovingMerchants(
      database,
      [...new Set([...calls, ...links].map((row) => row.merchantId))],
      merchantId,
    ),
  };
  return readinessFrom(counted, at);
}
