import { type Position } from '#domain/event-sourcing';
import { type Instant, instantFromMs, type Minor } from '#domain/kernel';
import { type Queryable } from '#infra/postgres';
import {
  ownServability,
  type OwnServability,
  type ReadBound,
  requireOwnServable,
} from '#views/view-set';
import { type AccountOfMerchant } from './query.js';

/** The balance at the end of a day; of today, the current one. Minor units. */
export interface ClosingBalance {
  /** YYYY-MM-DD in the merchant's zone. */
  readonly day: string;
  /** Credits − debits up to the day's end. */
  readonly closingMinor: Minor;
  /** The day's own; both positive. */
  readonly creditsMinor: Minor;
  readonly debitsMinor: Minor;
}

export interface ClosingBalances {
  readonly currency: string;
  /** Oldest first; the last one is today. */
  readonly days: readonly ClosingBalance[];
  readonly position: Position;
  readonly asOf: Instant;
}

interface Row extends OwnServability {
  readonly position: bigint;
  readonly fresh_at: Date;
  readonly currency: string | null;
  readonly day: string;
  readonly closing: string;
  readonly credits: string;
  readonly debits: string;
}

const maxDays = 400;

// Backwards from the balance. A day may be after today if the event store's clock is ahead of this database's.
const select = {
  name: 'closing-balances',
  text: `
  select c.position, ${ownServability({ merchant: '$1', mode: '$2' })}, a.currency, d.day::text,
    coalesce(s.credits_minor, 0)::text as credits, coalesce(s.debits_minor, 0)::text as debits,
    (coalesce(b.credits_minor - b.debits_minor, 0) - coalesce(sum(s.credits_minor - s.debits_minor) over later, 0))::text
      as closing
  from checkpoint c
  left join accounts a on a.account_no = $3 and a.merchant_id = $1 and a.mode = $2
  left join merchants m on m.merchant_id = a.merchant_id
  left join balances b on b.mode = a.mode and b.currency = a.currency and b.account = 'wallet:' || a.account_no
  cross join lateral (select (records.now_() at time zone m.timezone)::date as today) clock
  left join lateral (
    select today - n as day from generate_series(0, $4::int - 1) n
    union
    select day from account_days
    where mode = a.mode and currency = a.currency and account_no = a.account_no and day > today
  ) d on true
  left join account_days s
    on s.mode = a.mode and s.currency = a.currency and s.account_no = a.account_no and s.day = d.day
      and s.day > clock.today - $4::int
  window later as (order by d.day desc rows between unbounded preceding and 1 preceding)
  order by d.day`,
};

/**
 * The balances at the end of the last days (LIST-28), today's included. The cost depends on the number of days, not on
 * the account's entries.
 * @param count of days, 30 by default
 * @returns undefined if the account is not the merchant's in this mode
 * @throws DependencyUnavailable; RangeError for more than 400 days
 */
export async function closingBalances(
  database: Queryable,
  { merchantId, mode, accountNo }: AccountOfMerchant,
  bound: ReadBound,
  count = 30,
): Promise<ClosingBalances | undefined> {
  if (count > maxDays) throw new RangeError('too many days of balances');
  const rows = await database.query<Row>(select, [merchantId, mode, accountNo, count]);
  const { position, fresh_at, currency } = requireOwnServable(rows[0], bound);
  if (currency === null) return undefined;
  const days = rows.map(({ day, closing, credits, debits }) => ({
    day,
    closingMinor: BigInt(closing),
    creditsMinor: BigInt(credits),
    debitsMinor: BigInt(debits),
  }));
  return { currency, days, position, asOf: instantFromMs(fresh_at.getTime()) };
}
