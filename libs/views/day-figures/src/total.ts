import { type Position } from '#domain/event-sourcing';
import { type Instant, instantFromMs } from '#domain/kernel';
import { type Queryable } from '#infra/postgres';
import { type TransactionsPage, waitsForFloat } from '#views/transactions';
import {
  ownServability,
  type OwnServability,
  type ReadBound,
  requireOwnServable,
} from '#views/view-set';
import { amountsOf, type Figure } from './query.js';

/** A filter of the list. The other members of a page do not change its total. */
export interface TotalAsked extends Pick<
  TransactionsPage,
  | 'merchantId'
  | 'mode'
  | 'type'
  | 'status'
  | 'accountNo'
  | 'attention'
  | 'batch'
  | 'dateField'
  | 'from'
  | 'to'
> {
  /** True for items under review only, false for the others only. */
  readonly underReview?: boolean;
  readonly atPosition?: Position;
  readonly receipt?: string;
}

/** The items of a currency that match a filter. */
export type CurrencyTotal = Pick<Figure, 'currency' | 'count' | 'amountMinor' | 'feeMinor'>;

export interface FilterTotal {
  /** The largest count first; none if no item matches. */
  readonly currencies: readonly CurrencyTotal[];
  readonly position: Position;
  readonly asOf: Instant;
}

interface Row extends OwnServability {
  readonly position: bigint;
  readonly fresh_at: Date;
  readonly currency: string | null;
  readonly items: string;
  readonly amount_minor: string;
  readonly fee_minor: string;
}

const sums = `sum(items)::text as items, sum(amount_minor)::text as amount_minor, sum(fee_minor)::text as fee_minor`;

const figures = `
    from day_figures
    where merchant_id = $1 and mode = $2 and account_no = $3
      and day >= coalesce($4::date, '-infinity') and day <= coalesce($5::date, 'infinity')
      and ($6::text is null or type = $6) and ($7::text is null or status = $7)
      and ($8::boolean is null or under_review = $8)`;

const totalOf = (items: string): string => `
  select c.position, ${ownServability({ merchant: '$1', mode: '$2' })}, f.*
  from checkpoint c
  left join lateral (select currency, ${sums} ${items} group by currency) f on true
  order by f.items::numeric desc, f.currency`;

const select = { name: 'day-figures-total', text: totalOf(figures) };

// The figures do not say which payouts wait for float. These are pending, so they are counted one by one.
const selectAttention = {
  name: 'day-figures-attention',
  text: totalOf(`
    from (
      select currency, items, amount_minor, fee_minor ${figures}
        and (under_review or status = 'pending_approval')
      union all
      select t.currency, 1, t.amount_minor, t.fee_minor
      from transaction_listings l join transactions t using (position)
      where l.merchant_id = $1 and l.mode = $2 and l.status = 'pending' and l.kind = 'payout'
        and ${waitsForFloat} and not t.under_review
        and ($3 = '' or t.account_no = $3)
        and t.created_on >= coalesce($4::date, '-infinity') and t.created_on <= coalesce($5::date, 'infinity')
        and ($6::text is null or t.type = $6) and ($7::text is null or t.status = $7)
        and ($8::boolean is null or t.under_review = $8)
    ) attention`),
};

/**
 * The total of all items that the list shows with a filter (LIST-26). The cost depends on the number of days, and with
 * `attention` on the number of pending payouts, not on the number of items.
 * @returns undefined for a filter that the figures of days cannot answer: batch, receipt, an earlier position, or days
 *   of another date than `created_at`
 * @throws DependencyUnavailable
 */
export async function readFilterTotal(
  database: Queryable,
  asked: TotalAsked,
  bound: ReadBound,
): Promise<FilterTotal | undefined> {
  if (!isAnswerable(asked)) return undefined;
  const { merchantId, mode, accountNo = '', from, to, type, status, underReview } = asked;
  const statement = asked.attention ? selectAttention : select;
  const filters = [from, to, type, status, underReview].map((value) => value ?? null);
  const rows = await database.query<Row>(statement, [merchantId, mode, accountNo, ...filters]);
  const { position, fresh_at } = requireOwnServable(rows[0], bound);
  const currencies = rows.flatMap(({ currency, ...row }) =>
    currency === null ? [] : [{ currency, ...amountsOf(row) }],
  );
  return { currencies, position, asOf: instantFromMs(fresh_at.getTime()) };
}

function isAnswerable({ batch, receipt, atPosition, dateField, from, to }: TotalAsked): boolean {
  if (batch !== undefined || receipt !== undefined || atPosition !== undefined) return false;
  return dateField === 'created_at' || (from === undefined && to === undefined);
}
