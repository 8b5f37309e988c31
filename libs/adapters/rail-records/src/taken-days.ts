import {
  type DueDay,
  type EndedDay,
  type PaymentListRail,
  TakenDays,
  type UnmatchedPayment,
} from '#edges/rails';
import { type Database, type Queryable } from '#infra/postgres';

/** The time after midnight by which the rail lists the payments of the day's end. */
const graceMinutes = 10;
const leaseMinutes = 5;
/** The rail's clock and ours may differ. */
const marginMinutes = 1;
/**
 * If the rail has forgotten a day's beginning, the part from this long after its oldest moment is asked for. The time
 * suffices to ask without beginning again.
 */
const restMinutes = 15;
/** The time before the rail forgets a day's beginning; asking for its pages and judging them takes less. */
const lastMinutes = 120;

// Begins with the day after the last known day; the first time, with the oldest day that the rail still has, whole or
// in part. A day that ended before the rail's memory begins is missed.
const beginDays = `
  with known as (
    select max(day) as last from records.taken_days where channel = $1 and mode = $2
  ),
  days as (
    select d::date as day, d at time zone $3 as from_at, (d + interval '1 day') at time zone $3 as until_at
    from known, generate_series(
      coalesce(known.last + 1, (records.now_() at time zone $3 - $4 * interval '1 millisecond')::date)::timestamp,
      ((records.now_() - $5 * interval '1 minute') at time zone $3)::date - interval '1 day', interval '1 day') d
  )
  insert into records.taken_days (channel, mode, day, from_at, until_at)
  select $1, $2, day, from_at, until_at from days
  on conflict do nothing`;

// Money in the ledger from the time that the rail was asked about, by the rail's own time. A collection is paid within
// minutes of its push.
const heldMoney = (day: string): string => `exists (
  select from transactions t
  where t.mode = ${day}.mode and t.channel = ${day}.channel and t.type = 'collection' and t.posted_at is not null
    and t.position >= (select min(first_position) from transaction_days where transaction_days.day >= ${day}.day - 3)
    and t.position <= (select max(last_position) from transaction_days where transaction_days.day <= ${day}.day + 1)
    and coalesce(t.paid_at, t.created_at) >= ${day}.from_at and coalesce(t.paid_at, t.created_at) < ${day}.until_at)`;

// Views that do not contain all of that day, or have quarantined events of the mode, cannot show that there is no
// money.
const areWhole = (day: string): string => `(
  exists (select from checkpoint where fresh_at >= ${day}.until_at + interval '1 minute')
  and not exists (select from quarantines where scope in (${day}.mode, 'merchant')))`;

const holdsMoney = `
  select case when ${heldMoney('d')} then true when ${areWhole('d')} then false end as held
  from records.taken_days d where channel = $1 and mode = $2 and day = $3::date`;

// Only the rail's own answer without a payment distinguishes an untold day from a day that could not be asked about.
const endForgotten = `
  update records.taken_days d set finished_at = records.now_(),
    outcome = case when nothing_told_at is not null and next_offset = 0 and ${areWhole('d')} and not ${heldMoney('d')}
      then 'untold' else 'missed' end
  where channel = $1 and mode = $2 and finished_at is null
    and until_at < records.now_() - $3 * interval '1 millisecond'
  returning channel, mode, day, outcome`;

// The rail rejects a query about a time that it has forgotten, so a half-forgotten day is asked for in part. That part
// stays the same from page to page, since an offset counts from its beginning. If the rail forgets that beginning as
// well, the rest of the day begins again.
const lease = `
  update records.taken_days t set attempts = t.attempts + 1,
    next_attempt_at = records.now_() + $2 * interval '1 minute',
    from_at = case when o.is_forgotten then o.rest_from else t.from_at end,
    next_offset = case when o.is_forgotten then 0 else t.next_offset end,
    payments = case when o.is_forgotten then 0 else t.payments end,
    unmatched = case when o.is_forgotten then 0 else t.unmatched end
  from (
    select d.channel, d.mode, d.day,
      d.from_at < oldest.at + $5 * interval '1 minute' as is_forgotten,
      d.from_at < oldest.at + $7 * interval '1 minute' as is_forgotten_soon,
      least(oldest.at + $6 * interval '1 minute', d.until_at) as rest_from
    from records.taken_days d
      join unnest($1::text[], $3::text[], $4::float8[]) as r (channel, mode, look_back_ms) using (channel, mode)
      cross join lateral (select records.now_() - r.look_back_ms * interval '1 millisecond' as at) oldest
    where d.finished_at is null and d.next_attempt_at <= records.now_()
    order by d.day limit 1 for update of d skip locked
  ) o
  where t.channel = o.channel and t.mode = o.mode and t.day = o.day
  returning t.channel, t.mode, t.day, t.next_offset as "offset", t.attempts as attempt,
    (extract(epoch from t.from_at) * 1000)::float8 as "fromMs",
    (extract(epoch from t.until_at) * 1000)::float8 as "untilMs", o.is_forgotten_soon as "isForgottenSoon"`;

const keepUnmatched = `
  insert into records.unmatched_payments (channel, mode, receipt, day, amount_minor, paid_at, code, party, stream, why)
  select $1, $2, u.receipt, $3::date, u.amount_minor, u.paid_at, u.code, u.party, u.stream, u.why
  from unnest($4::text[], $5::bigint[], $6::timestamptz[], $7::text[], $8::text[], $9::text[], $10::text[])
    as u (receipt, amount_minor, paid_at, code, party, stream, why)
  on conflict do nothing`;

const advance = `
  update records.taken_days set next_offset = coalesce($4, next_offset), attempts = 0,
    next_attempt_at = records.now_(), payments = payments + $5, unmatched = unmatched + $6,
    finished_at = case when $4::int is null then records.now_() end,
    outcome = case when $4::int is null then 'asked' end
  where channel = $1 and mode = $2 and day = $3::date and next_offset = $7`;

const putOff = `
  update records.taken_days set next_attempt_at = records.now_() + $4 * interval '1 millisecond',
    nothing_told_at = case when $5 then records.now_() else nothing_told_at end
  where channel = $1 and mode = $2 and day = $3::date`;

const endUntold = `
  update records.taken_days set finished_at = records.now_(), nothing_told_at = records.now_(), outcome = 'untold'
  where channel = $1 and mode = $2 and day = $3::date and finished_at is null`;

export class RecordedTakenDays extends TakenDays {
  constructor(private readonly database: Database) {
    super();
  }

  override async due(rails: readonly PaymentListRail[]) {
    const ended: EndedDay[] = [];
    for (const { channel, mode, timezone, lookBackMs } of rails) {
      await this.database.query(beginDays, [channel, mode, timezone, lookBackMs, graceMinutes]);
      ended.push(
        ...(await this.database.query<EndedDay>(endForgotten, [channel, mode, lookBackMs])),
      );
    }
    const [day] = await this.database.query<DueDay>(lease, [
      ...[rails.map(({ channel }) => channel), leaseMinutes, rails.map(({ mode }) => mode)],
      ...[rails.map(({ lookBackMs }) => lookBackMs), marginMinutes, restMinutes],
      lastMinutes,
    ]);
    return { day, ended };
  }

  override async asked(day: DueDay, found: Parameters<TakenDays['asked']>[1]): Promise<void> {
    const { unmatched, next, payments } = found;
    const { channel, mode, day: date } = day;
    await this.database.transaction(async (transaction) => {
      await keepIn(transaction, day, unmatched);
      await transaction.query(advance, [
        ...[channel, mode, date, next ?? null, payments, unmatched.length, day.offset],
      ]);
    });
  }

  override keep(
    day: Parameters<TakenDays['keep']>[0],
    unmatched: readonly UnmatchedPayment[],
  ): Promise<void> {
    return keepIn(this.database, day, unmatched);
  }

  override async putOff(
    { channel, mode, day }: DueDay,
    pauseMs: number,
    isNothingTold = false,
  ): Promise<void> {
    await this.database.query(putOff, [channel, mode, day, pauseMs, isNothingTold]);
  }

  override async untold({ channel, mode, day }: DueDay): Promise<void> {
    await this.database.query(endUntold, [channel, mode, day]);
  }

  override async holdsMoney({ channel, mode, day }: DueDay): Promise<boolean | undefined> {
    const [row] = await this.database.query<{ readonly held: boolean | null }>(holdsMoney, [
      ...[channel, mode, day],
    ]);
    return row?.held ?? undefined;
  }
}

async function keepIn(
  database: Queryable,
  { channel, mode, day }: Parameters<TakenDays['keep']>[0],
  unmatched: readonly UnmatchedPayment[],
): Promise<void> {
  if (unmatched.length === 0) return;
  const of = <K extends keyof UnmatchedPayment>(key: K) =>
    unmatched.map((each) => each[key] ?? null);
  await database.query(keepUnmatched, [
    ...[channel, mode, day, of('receipt'), of('amountMinor'), of('paidAt')],
    ...[of('code'), of('party'), of('stream'), of('why')],
  ]);
}
