import { type Instant, type Minor, type Mode, msFromInstant } from '#domain/kernel';
import { type Database } from '#infra/postgres';
import { isOfRail } from './items.js';

/** A payment of the rail's list without a known item. */
export interface UnexplainedPayment {
  readonly mode: Mode;
  readonly channel: string;
  readonly receipt: string;
  readonly amountMinor: Minor;
  readonly paidAt: Instant;
  /** In the rail's zone, YYYY-MM-DD. */
  readonly day: string;
  /** The customer's number, masked. */
  readonly party: string | null;
}

/** A person looks at them one by one. */
const maxOfPayment = 5;
/** The list's time may be in another zone than it says, and the clocks differ. */
const maxEarlyMs = 4 * 3_600_000;

// Two payments may be months apart: only the days about each are read.
const explaining = `
  with asked as (
    select * from unnest($1::text[], $2::text[], $3::bigint[], $4::float8[], $5::date[], $6::text[], $7::text[])
      as a (mode, receipt, amount_minor, paid_ms, day, party, channel)
  ),
  days as (
    select (select min(first_position) from transaction_days where day >= asked_day - 3) as first,
      (select max(last_position) from transaction_days where day <= asked_day + 1) as last
    from (select distinct day as asked_day from asked) d
  ),
  spans as (
    select unnest(range_agg(case when first <= last then int8range(first, last, '[]') end)) as span from days
  ),
  found as (
    select a.mode, a.receipt, t.stream, row_number() over (
      partition by a.mode, a.receipt order by t.status = 'failed', abs(extract(epoch from t.created_at) * 1000 - a.paid_ms),
        t.position) as nth
    from spans
    cross join lateral (
      select * from transactions where position >= lower(span) and position < upper(span) offset 0
    ) t
    join asked a on t.mode = a.mode and t.amount_minor = a.amount_minor
    where t.type = 'collection' and ${isOfRail('a.channel')} and t.receipt is null and not (t.status = 'failed' and t.posted_at is not null)
      and extract(epoch from t.created_at) * 1000 between a.paid_ms - 4 * 86400000::float8 and a.paid_ms + ${maxEarlyMs}
      and (a.party is null or t.phone_masked is null or t.phone_masked = a.party)
      and (a.party is not null or t.status <> 'failed')
  )
  select mode, receipt, stream from found where nth <= ${maxOfPayment} order by nth`;

interface FoundRow {
  readonly mode: Mode;
  readonly receipt: string;
  readonly stream: string;
}

/** The statement reads all transactions of some days. */
const statementTimeoutMs = 60_000;

/**
 * The collections that may explain payments that no known item asked for. They have no receipt, the same amount and the
 * same number. If the list does not contain the number, the amount decides (REC-31).
 * @returns streams, by mode and receipt; undefined for a mode with a quarantined event, since that cannot be decided
 *   then
 */
export async function explainingCollections(
  database: Database,
  payments: readonly UnexplainedPayment[],
): Promise<
  (payment: Pick<UnexplainedPayment, 'mode' | 'receipt'>) => readonly string[] | undefined
> {
  if (payments.length === 0) return () => [];
  const of = <K extends keyof UnexplainedPayment>(key: K) => payments.map((each) => each[key]);
  const values = [
    ...[of('mode'), of('receipt'), of('amountMinor')],
    payments.map(({ paidAt }) => msFromInstant(paidAt)),
    ...[of('day'), of('party'), of('channel')],
  ];
  const rows = await database.transaction(
    (transaction) => transaction.query<FoundRow>(explaining, values),
    { readOnly: true, statementTimeoutMs },
  );
  const held = await database.query<{ readonly scope: string }>(
    `select distinct scope from quarantines`,
  );
  const scopes = new Set(held.map(({ scope }) => scope));
  const found = Map.groupBy(rows, ({ mode, receipt }) => `${mode} ${receipt}`);
  return ({ mode, receipt }) => {
    const streams = (found.get(`${mode} ${receipt}`) ?? []).map(({ stream }) => stream);
    const isWhole = !scopes.has(mode) && !scopes.has('merchant');
    return streams.length > 0 || isWhole ? streams : undefined;
  };
}
