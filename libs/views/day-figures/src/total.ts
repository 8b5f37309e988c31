import { type Position } from '#domain/event-sourcing';
import { type Instant, instantFromMs } from '#domain/kernel';
import { type Queryable } from '#infra/postgres';
import { type TransactionsPage } from '#views/transactions';
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
  'merchantId' | 'mode' | 'type' | 'status' | 'batch' | 'dateField' | 'from' | 'to'
> {
  readonly accountNo?: string;
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

const select = {
  name: 'day-figures-total',
  text: `
  select c.position, ${ownServability({ merchant: '$1', mode: '$2' })}, f.*
  from checkpoint c
  left join lateral (
    select currency,
      sum(items)::text as items, sum(amount_minor)::text as amount_minor, sum(fee_minor)::text as fee_minor
    from day_figures
    where merchant_id = $1 and mode = $2 and account_no = $3
      and day >= coalesce($4::date, '-infinity') and day <= coalesce($5::date, 'infinity')
      and ($6::text is null or type = $6) and ($7::text is null or status = $7)
      and ($8::boolean is null or under_review = $8)
    group by currency
  ) f on true
  order by f.items::numeric desc, f.currency`,
};

/**
 * The total of all items that the list shows with a filter (LIST-26). The cost depends on the number of days, not on the
 * number of items.
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
  const filters = [from, to, type, status, underReview].map((value) => value ?? null);
  const rows = await database.query<Row>(select, [merchantId, mode, accountNo, ...filters]);
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
