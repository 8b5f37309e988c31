import {
  DependencyUnavailable,
  type Instant,
  type Minor,
  type Mode,
  msFromInstant,
} from '#domain/kernel';
import { maxApartMs } from '#domain/reconciliation';
import { type Database } from '#infra/postgres';
import { isAnyQuarantined, requireNoQuarantine } from '#views/view-set';
import { beginsNear, isOfRail } from './items.js';

/** An item, or a posted correction, that a payment of the rail may belong to. */
export interface Bearer {
  readonly stream: string;
  /** True if the ledger contains, or contained, its money. */
  readonly isHere: boolean;
  /** False if the payment may as well be another item's, because it has no code. */
  readonly isCertain: boolean;
  /** Its own receipt, and the payment's receipt if the rail named that one for it, too. */
  readonly receipts: readonly string[];
}

interface Payment {
  readonly receipt: string;
  readonly amountMinor: Minor;
  readonly paidAt: Instant;
  /** The list did not name the zone of the time: it is the rail's own or UTC. */
  readonly isZoneUncertain?: true;
  readonly code?: string;
  /** The account number that the customer named. */
  readonly accountNo?: string;
  /** The customer's number, masked. */
  readonly party?: string;
}

const dayMs = 86_400_000;
/** A customer cannot pay before the push, but the rail's clock may be behind ours. */
const maxEarlyMs = 2 * 60_000;

/**
 * The collections of a payment's amount and time that may have asked for it. One that has a receipt has its money. A
 * customer who named an account of ours pays that account (C2B-3).
 * @param number the condition on their numbers
 */
const askedNear = (number: string): string => `
    select a.receipt, a.party, t.position
    from asked a
    join transactions t on t.mode = $1 and t.type = 'collection' and ${isOfRail('$12')}
      and ${number} and t.requested_minor = a.amount_minor
    cross join lateral (select a.paid_ms - extract(epoch from t.created_at) * 1000 as later_ms) apart
    where $9 and a.code is null and t.receipt is null and not (t.status = 'failed' and t.posted_at is not null)
      and not exists (select from accounts o where o.mode = $1 and o.account_no = a.account_no)
      and ${beginsNear('$4')}
      and (later_ms between -${maxEarlyMs} and ${maxApartMs}
        or a.is_uncertain and later_ms - $8::float8 between -${maxEarlyMs} and ${maxApartMs})
      and not exists (select from asked other where other.code = t.account_reference)
      and not exists (select from receipts r where r.mode = $1 and r.receipt = a.receipt)
      and not exists (
        select from corrections c
        where c.mode = $1 and c.receipt = a.receipt and c.receipt is not null and c.posted_at is not null)`;

// A till's payments have no code, and a customer may have typed another one. Then the collection for that number, time
// and amount is meant, if there is only one choice (REC-21). A payment whose number is hidden may be any push's of that
// time and amount, and never leaves only one choice (C2B-18); an expected payment has no number, because it is no push.
// While an event is quarantined, that cannot be decided.
const select = `
  with asked as (
    select * from unnest($2::text[], $3::text[], $5::bigint[], $6::text[], $7::float8[], $10::bool[], $11::text[])
      as a (receipt, code, amount_minor, party, paid_ms, is_uncertain, account_no)
  ),
  near as (
    ${askedNear('t.phone_masked = a.party')}
    union all
    ${askedNear('a.party is null and t.phone_masked is not null')}
  ),
  unnamed as (
    select receipt as of, position, party is not null and count(*) over (partition by receipt) = 1
      and count(*) over (partition by position) = 1 as is_certain
    from near
  ),
  borne as (
    select a.receipt as of, r.position, true as is_certain from asked a join receipts r on r.mode = $1 and r.receipt = a.receipt
    union
    select a.receipt, t.position, true from asked a
    join transactions t on t.mode = $1 and ${isOfRail('$12')} and t.account_reference = a.code
    where a.code is not null and ${beginsNear('$4')}
    union
    select of, position, is_certain from unnamed
  )
  select b.of, t.stream, t.posted_at is not null as "isHere", b.is_certain as "isCertain",
    array_remove(array[t.receipt, case when t.receipt <> b.of and exists (
      select from receipts r where r.mode = t.mode and r.receipt = b.of and r.position = t.position) then b.of end], null)
      as receipts
  from borne b join transactions t using (position)
  union all
  select a.receipt, c.stream, true, true, array[c.receipt]
  from asked a join corrections c on c.mode = $1 and c.receipt = a.receipt
  where c.receipt is not null and c.posted_at is not null`;

const selectHeld = `
  select coalesce(fresh_at >= to_timestamp($1::float8 / 1000) + interval '1 minute', false) as held from checkpoint`;

/** The bearers of some payments. */
export interface FoundBearers {
  readonly byReceipt: ReadonlyMap<string, readonly Bearer[]>;
  /**
   * False if an event is quarantined and the answer could not wait. A payment without a code or account of ours may then
   * have a bearer that was not found.
   */
  readonly isWhole: boolean;
}

/** The statement compares a page of a thousand payments with all collections of some days. */
const statementTimeoutMs = 60_000;

/**
 * Finds the items and corrections with the payments' receipts, and the collections of those days with their codes. For
 * a payment without a code or account of ours, amount, number and time decide. Without a number no collection is certain.
 * @param asked `channel`: the rail's. `untilMs`: the end of the time that was asked about; views that have contained the whole log since then
 *   have all collections of that time. `dayEndsMs`: the day's end, if it is another one. `isForgottenSoon`: the answer
 *   cannot wait for the end of a quarantine
 * @throws DependencyUnavailable if the views have not, or if an event of the mode is quarantined, which may be a bearer
 */
export async function findBearers(
  database: Database,
  asked: {
    readonly mode: Mode;
    readonly channel: string;
    readonly day: string;
    readonly untilMs: number;
    readonly dayEndsMs?: number;
    readonly isForgottenSoon: boolean;
    readonly payments: readonly Payment[];
  },
): Promise<FoundBearers> {
  const { mode, day, untilMs, dayEndsMs = untilMs, payments } = asked;
  const zoneMs = Date.parse(day) + dayMs - dayEndsMs;
  const [row] = await database.query<{ readonly held: boolean }>(selectHeld, [untilMs]);
  if (row?.held !== true)
    throw new DependencyUnavailable('read model', 'it does not hold all of that day yet');
  if (!asked.isForgottenSoon) await requireNoQuarantine(database, mode);
  const isWhole = !asked.isForgottenSoon || !(await isAnyQuarantined(database, mode));
  const values = [
    mode,
    payments.map(({ receipt }) => receipt),
    payments.map(({ code }) => code ?? null),
    day,
    payments.map(({ amountMinor }) => amountMinor),
    payments.map(({ party }) => party ?? null),
    payments.map(({ paidAt }) => msFromInstant(paidAt)),
    zoneMs,
    isWhole,
    payments.map(({ isZoneUncertain = false }) => isZoneUncertain),
    payments.map(({ accountNo }) => accountNo ?? null),
    asked.channel,
  ];
  const rows = await database.transaction(
    (transaction) => transaction.query<Bearer & { readonly of: string }>(select, values),
    { readOnly: true, statementTimeoutMs },
  );
  return { byReceipt: Map.groupBy(rows, ({ of }) => of), isWhole };
}
