import { type Position } from '#domain/event-sourcing';
import { type Instant, instantFromMs, type Minor, type Mode } from '#domain/kernel';
import { type Queryable } from '#infra/postgres';
import { type TransactionItem } from '#views/transactions';
import {
  ownServability,
  type OwnServability,
  type ReadBound,
  requireOwnServable,
} from '#views/view-set';

/** Days that one call may ask for. A day has some twenty rows at most, so an answer stays small. */
export const maxFigureDays = 400;

/** Whole days, inclusive, YYYY-MM-DD: of items by the day on which they began, in their merchant's zone. */
export interface FigureDays {
  readonly from: string;
  readonly to: string;
}

/** The figures of a merchant's mode, of one account or of all. */
export interface FiguresAsked extends FigureDays {
  readonly merchantId: string;
  readonly mode: Mode;
  readonly accountNo?: string;
  /** The first day whose failures are counted by reason; `from` by default. */
  readonly reasonsFrom?: string;
}

/** Minor units. */
export interface Figure {
  readonly type: TransactionItem['type'];
  readonly status: TransactionItem['status'];
  readonly currency: string;
  readonly count: bigint;
  readonly amountMinor: Minor;
  readonly feeMinor: Minor;
}

export interface DayFigure extends Figure {
  readonly day: string;
}

/** Items that failed or were rejected for one reason, over all days whose reasons were asked for. */
export interface ReasonFigure extends Figure {
  readonly failureCode: string;
}

export interface Figures {
  /** By day, oldest first; a day without items has none. */
  readonly days: readonly DayFigure[];
  /** The most frequent first. */
  readonly reasons: readonly ReasonFigure[];
  readonly position: Position;
  readonly asOf: Instant;
}

interface Row extends OwnServability {
  readonly position: bigint;
  readonly fresh_at: Date;
  readonly day: string | null;
  /** Null if there are no figures. */
  readonly type: TransactionItem['type'] | null;
  readonly status: TransactionItem['status'];
  readonly currency: string;
  readonly failure_code: string | null;
  readonly items: string;
  readonly amount_minor: string;
  readonly fee_minor: string;
}

const select = {
  name: 'day-figures',
  text: `
  select c.position, ${ownServability({ merchant: '$1', mode: '$2' })}, f.*
  from checkpoint c
  left join lateral (
    select day::text, type, status, currency, failure_code,
      sum(items)::text as items, sum(amount_minor)::text as amount_minor, sum(fee_minor)::text as fee_minor
    from (select *, day >= $6::date as has_reasons from day_figures) figures
    where merchant_id = $1 and mode = $2 and account_no = $3 and day between $4::date and $5::date
    group by grouping sets ((day, type, status, currency), (type, status, currency, failure_code, has_reasons))
    having grouping(day) = 0 or (failure_code <> '' and has_reasons)
  ) f on true
  order by f.day, f.items::numeric desc, f.type, f.status, f.currency, f.failure_code`,
};

/**
 * Collected and paid out by day, and the reasons of failures (LIST-26).
 * @throws DependencyUnavailable; RangeError for more than `maxFigureDays`
 */
export function readFigures(
  database: Queryable,
  { merchantId, mode, accountNo = '', ...days }: FiguresAsked,
  bound: ReadBound,
): Promise<Figures> {
  return read(database, [merchantId, mode, accountNo], days, bound);
}

/**
 * The figures of all merchants, each with the days of its own zone. Those of a quarantined merchant are as of its
 * quarantine.
 * @throws DependencyUnavailable; RangeError for more than `maxFigureDays`
 */
export function readPlatformFigures(
  database: Queryable,
  { mode, ...days }: FigureDays & { readonly mode: Mode },
  bound: ReadBound,
): Promise<Figures> {
  return read(database, ['', mode, ''], days, bound);
}

async function read(
  database: Queryable,
  owner: readonly [merchantId: string, mode: Mode, accountNo: string],
  { from, to, reasonsFrom = from }: FigureDays & Pick<FiguresAsked, 'reasonsFrom'>,
  bound: ReadBound,
): Promise<Figures> {
  if (daysBetween(from, to) >= maxFigureDays) throw new RangeError('too many days of figures');
  const rows = await database.query<Row>(select, [...owner, from, to, reasonsFrom]);
  const { position, fresh_at } = requireOwnServable(rows[0], bound);
  const days: DayFigure[] = [];
  const reasons: ReasonFigure[] = [];
  for (const { type, day, failure_code: failureCode, ...row } of rows) {
    if (type === null) continue;
    const figure = { type, status: row.status, currency: row.currency, ...amountsOf(row) };
    if (day !== null) days.push({ day, ...figure });
    else if (failureCode !== null) reasons.push({ ...figure, failureCode });
  }
  return { days, reasons, position, asOf: instantFromMs(fresh_at.getTime()) };
}

/** The figures of a row, as the driver returns them. */
export function amountsOf(
  row: Pick<Row, 'items' | 'amount_minor' | 'fee_minor'>,
): Pick<Figure, 'count' | 'amountMinor' | 'feeMinor'> {
  return {
    count: BigInt(row.items),
    amountMinor: BigInt(row.amount_minor),
    feeMinor: BigInt(row.fee_minor),
  };
}

const dayMs = 86_400_000;

function daysBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / dayMs;
}

/** Finished items. */
export interface Outcomes {
  readonly completed: bigint;
  /** Completed or failed. Those that are pending or were rejected are not in the success rate. */
  readonly finished: bigint;
}

/** The two numbers of a success rate (LIST-27), of items of a type in all currencies. */
export function outcomesOf(figures: readonly Figure[], type: Figure['type']): Outcomes {
  const of = (status: Figure['status']): bigint =>
    figures.reduce(
      (sum, each) => (each.type === type && each.status === status ? sum + each.count : sum),
      0n,
    );
  const completed = of('completed');
  return { completed, finished: completed + of('failed') };
}
