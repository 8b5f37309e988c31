import { type Instant, instantFromMs, type Mode } from '#domain/kernel';
import { type Queryable } from '#infra/postgres';

/** A payment that was found, as it is listed. */
export interface ListedUnmatched {
  readonly channel: string;
  readonly mode: Mode;
  readonly receipt: string;
  readonly day: string;
  readonly amountMinor: bigint;
  readonly paidAt: Instant;
  readonly code: string | null;
  readonly party: string | null;
  readonly stream: string | null;
  readonly why: 'nobody_asked' | 'not_settled' | 'paid_twice';
  /** The ledger's money for the payment's collection. `another_amount`: it has no receipt, so it may be this payment. */
  readonly holds: 'nothing' | 'another_payment' | 'another_amount';
}

/**
 * SQL that is true if the ledger contains a payment under the receipt. One statement reads views and records.
 * @param mode and `receipt`: expressions
 */
export const isKnownReceipt = (mode: string, receipt: string): string => `(
  exists (
    select from receipts r join transactions t using (position)
    where r.mode = ${mode} and r.receipt = ${receipt} and t.posted_at is not null)
  or exists (
    select from corrections c
    where c.mode = ${mode} and c.receipt = ${receipt} and c.posted_at is not null))`;

const isKnown = (payment: string): string =>
  isKnownReceipt(`${payment}.mode`, `${payment}.receipt`);

// The ledger's money for the payment's collection without a receipt, including its corrections. If the amount is the
// same, it is that payment.
const bareMoney = `
  select t.status, case t.status when 'completed' then t.amount_minor - (
      with recursive correcting as (
        select c.stream, c.legs from corrections c
        where c.mode = t.mode and c.corrects = t.stream and c.receipt is null and c.posted_at is not null
        union all
        select c.stream, c.legs from correcting join corrections c on c.mode = t.mode and c.corrects = correcting.stream
        where c.receipt is null and c.posted_at is not null)
      select coalesce(sum(split_part(leg, '=', 2)::bigint), 0) from correcting cross join unnest(legs) leg
      where leg like 'rail-clearing:%')
    else (
      select sum(e.amount_minor) from ledger_entries e
      where e.mode = t.mode and e.currency = t.currency and e.account = 'suspense'
        and e.position > t.position and e.stream = t.stream and e.amount_minor > 0)
    end::bigint as minor
  from transactions t where t.stream = u.stream and t.posted_at is not null and t.receipt is null`;

// If several payments have that amount, only the first is that money; the others were paid in addition.
const isFirst = `
  not exists (
    select from records.unmatched_payments other
    where other.stream = u.stream and other.mode = u.mode and other.amount_minor = u.amount_minor
      and (other.paid_at, other.receipt) < (u.paid_at, u.receipt) and not ${isKnown('other')})`;

const openPayments = `
  records.unmatched_payments u left join lateral (${bareMoney}) bare on true
  where not ${isKnown('u')}
    and not (bare.status is not null and bare.status = 'failed' and u.why = 'not_settled')
    and not (bare.minor is not null and bare.minor = u.amount_minor and ${isFirst})`;

const listOpen = `
  select u.channel, u.mode, u.receipt, u.day, u.amount_minor as "amountMinor", u.paid_at, u.code, u.party, u.stream, u.why,
    case when exists (select from transactions t where t.stream = u.stream and t.posted_at is not null)
      then case when bare.minor <> u.amount_minor then 'another_amount' else 'another_payment' end
      else 'nothing' end as holds
  from ${openPayments} and ($1::text is null or u.mode = $1) and ($3::text[] is null or u.receipt = any($3))
  order by u.paid_at, u.receipt
  limit $2`;

/** The payments to list; all if neither a mode nor receipts are given. */
export interface UnmatchedFilter {
  readonly mode?: Mode;
  readonly receipts?: readonly string[];
  readonly limit: number;
}

/** Payments that a rail took and the ledger does not contain, oldest first. */
export async function listUnmatchedPayments(
  database: Queryable,
  { mode, receipts, limit }: UnmatchedFilter,
): Promise<readonly ListedUnmatched[]> {
  const rows = await database.query<Omit<ListedUnmatched, 'paidAt'> & { readonly paid_at: Date }>(
    listOpen,
    [mode ?? null, limit, receipts ?? null],
  );
  return rows.map(({ paid_at, ...row }) => ({ ...row, paidAt: instantFromMs(paid_at.getTime()) }));
}

const sumOpen = `
  select coalesce(sum(u.amount_minor), 0)::text as sum
  from ${openPayments} and u.channel = $1 and u.mode = $2 and u.paid_at <= $3`;

/** The sum of the payments that a rail took up to a time and the ledger does not contain. */
export async function unmatchedSum(
  database: Queryable,
  {
    channel,
    mode,
    until,
  }: { readonly channel: string; readonly mode: Mode; readonly until: Instant },
): Promise<bigint> {
  const [row] = await database.query<{ sum: string }>(sumOpen, [channel, mode, until]);
  return BigInt(row?.sum ?? 0);
}

/** Payments that a rail took and the ledger does not contain. */
export interface MissedMoney {
  readonly payments: readonly {
    readonly mode: Mode;
    readonly receipt: string;
    readonly amountMinor: bigint;
    readonly paidAt: Instant;
    readonly stream: string | null;
    readonly why: string;
  }[];
  readonly more: boolean;
}

/** The oldest of them, and whether there are more. @throws DependencyUnavailable */
export async function missedMoney(database: Queryable, max: number): Promise<MissedMoney> {
  const found = await listUnmatchedPayments(database, { limit: max + 1 });
  return { payments: found.slice(0, max), more: found.length > max };
}

/** Counts stop here. A person never reads that many rows. */
export const maxCounted = 10_000;

/**
 * SQL for the found payments `u` that wait for people. If people decided a review in another way, its payment stays
 * listed but is not among them. If the rail's report of some money ended the review, no person looked at it, so the
 * payment is among them.
 */
export const waitingPayments = `
  ${openPayments} and not (u.why = 'not_settled' and exists (
    select from transactions t
    where t.stream = u.stream and t.type = 'collection' and not t.under_review and t.posted_at is null))`;

// The age of a rail that never listed anything counts from the beginning of the first day to ask about. Views that
// never contained the whole log know of no money. An untold day counts as told only if the rail listed payments in the
// week before: a short code that is not registered for the list never has any.
const countWaiting = `
  select
    (select count(*)::float8 from (
      select from ${waitingPayments}
      limit ${maxCounted}) undecided) + case when exists (select from checkpoint where fresh_at is not null)
        then 0 else 'NaN'::float8 end as payments,
    (select coalesce(max(extract(epoch from records.now_() - told_until)), 0)::float8 from (
      select coalesce(max(until_at) filter (where outcome = 'asked' or outcome = 'untold' and exists (
        select from records.taken_days told where told.channel = d.channel and told.mode = d.mode
          and told.outcome = 'asked' and told.payments > 0 and told.day between d.day - 7 and d.day - 1)), min(from_at)) as told_until
      from records.taken_days d
      where (channel, mode) in (select * from unnest($1::text[], $2::text[]))
      group by channel, mode) rails) as "ageSeconds"`;

/** Counts the found payments that wait for people, and the time since the end of the last day that each rail has listed. */
export async function waitingListedPayments(
  database: Queryable,
  rails: readonly { readonly channel: string; readonly mode: Mode }[],
): Promise<{ readonly payments: number; readonly ageSeconds: number }> {
  const [row] = await database.query<{ readonly payments: number; readonly ageSeconds: number }>(
    countWaiting,
    [rails.map(({ channel }) => channel), rails.map(({ mode }) => mode)],
  );
  return row ?? { payments: 0, ageSeconds: 0 };
}
