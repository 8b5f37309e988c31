import { type Instant, type Mode } from '#domain/kernel';
import {
  channelOf,
  type HeldSince,
  isSettledSince,
  type ReconciliationRecorded,
} from '#domain/reconciliation';
import { type Queryable } from '#infra/postgres';

const heldReceipts = `
  select r.receipt from receipts r join transactions t using (position)
  where r.mode = $1 and r.receipt = any ($2) and t.posted_at is not null and t.status = 'completed'
  union
  select receipt from corrections where mode = $1 and receipt = any ($2) and posted_at is not null`;

const states = `
  select t.stream, case when t.status = 'pending' and t.posted_at is not null then 'held'
    when t.status in ('pending', 'pending_approval') then 'pending' else 'settled' end as state,
    exists (
      select from corrections c where c.corrects = t.stream and c.posted_at > $2) as corrected
  from transactions t where t.stream = any ($1)`;

// The same reconciliations count as when a day is compared (REC-18, REC-23).
const shownElsewhere = `
  with others as (
    select distinct on (date) other_day_streams from reconciliations
    where merchant_id = $1 and mode = $2 and account_no = $3 and date <> $4::date and recorded_at > $5 and channel = $8
      and (made_by = 'platform' or $6 = 'merchant')
    order by date, position desc
  )
  select distinct stream from others cross join unnest(other_day_streams) as stream where stream = any ($7)`;

/**
 * Returns the indexes in `openNamed` of findings that were settled since the reconciliation (REC-34).
 * @param recordedAt the time at which the reconciliation was recorded
 */
export async function settledSince(
  database: Queryable,
  data: ReconciliationRecorded['data'],
  recordedAt: Instant,
): Promise<ReadonlySet<number>> {
  if (data.openNamed.length === 0) return new Set();
  const held = await heldSince(database, data, recordedAt);
  return new Set(
    data.openNamed.flatMap((each, index) => (isSettledSince(each, held) ? [index] : [])),
  );
}

async function heldSince(
  database: Queryable,
  data: ReconciliationRecorded['data'],
  recordedAt: Instant,
): Promise<HeldSince> {
  const { merchantId, mode, accountNo, date, by = 'merchant', openNamed } = data;
  const streams = openNamed.flatMap(({ stream }) => stream ?? []);
  const [receipts, items, shown] = [
    await database.query<{ readonly receipt: string }>(heldReceipts, [
      mode satisfies Mode,
      openNamed.flatMap(({ receipt }) => receipt ?? []),
    ]),
    await database.query<{
      readonly stream: string;
      readonly state: 'pending' | 'held' | 'settled';
      readonly corrected: boolean;
    }>(states, [streams, recordedAt]),
    await database.query<{ readonly stream: string }>(shownElsewhere, [
      ...[merchantId, mode, accountNo, date, recordedAt, by],
      ...[streams, channelOf(data)],
    ]),
  ];
  return {
    receipts: new Set(receipts.map(({ receipt }) => receipt)),
    states: new Map(items.map(({ stream, state }) => [stream, state])),
    corrected: new Set(items.flatMap(({ stream, corrected }) => (corrected ? [stream] : []))),
    shownElsewhere: new Set(shown.map(({ stream }) => stream)),
  };
}
