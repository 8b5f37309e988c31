import { type Origin, origins } from '#domain/collections';
import { type Mode } from '#domain/kernel';
import { type TransactionItem } from './fields.js';

/** The instant of an item that a date filter uses. */
type DateField = 'created_at' | 'completed_at' | 'paid_at';

/** A page of a merchant's transactions; days are `YYYY-MM-DD` in the merchant's time zone, inclusive. */
export interface TransactionsPage {
  readonly merchantId: string;
  readonly mode: Mode;
  readonly type?: TransactionItem['type'];
  readonly status?: TransactionItem['status'];
  /** Only items of this account of the merchant. */
  readonly accountNo?: string;
  /** Only items that need attention (LIST-29). */
  readonly attention?: true;
  /** Only payouts of the batch with this reference. */
  readonly batch?: string;
  /** Only collections that came this way. */
  readonly origin?: Origin;
  readonly dateField: DateField;
  readonly from?: string;
  readonly to?: string;
  /** Only items before this position, exclusive. */
  readonly before?: bigint;
  readonly limit: number;
}

/** The condition of a payout that waits for float, as `isWaitingForFloat`. */
export const waitsForFloat = `(t.waiting_since is not null and t.status = 'pending')`;

/** Adds a value and returns its placeholder in the statement. */
export type Value = (of: unknown) => string;

/** The column of an item's listing that a date filter uses. */
export const listedDay = { completed_at: 'completed_on', paid_at: 'paid_on' } as const;
export type ListedDay = (typeof listedDay)[keyof typeof listedDay];

export function owner(
  { merchantId, mode, before }: TransactionsPage,
  table: string,
  value: Value,
  withCursor = true,
): string[] {
  return [
    `${table}.merchant_id = ${value(merchantId)}`,
    `${table}.mode = ${value(mode)}`,
    ...(withCursor && before !== undefined ? [`${table}.position < ${value(before)}`] : []),
  ];
}

/** The days' positions bound the scan: it does not read items of other days at all (docs/adr/0009). */
export function createdOn(
  { merchantId, mode, from, to }: TransactionsPage,
  table: string,
  value: Value,
): string[] {
  const ranged = (column: string): string[] => [
    ...(from === undefined ? [] : [`${column} >= ${value(from)}::date`]),
    ...(to === undefined ? [] : [`${column} <= ${value(to)}::date`]),
  ];
  const onDays = ranged('t.created_on');
  if (onDays.length === 0) return [];
  const inDays = [
    `d.merchant_id = ${value(merchantId)}`,
    `d.mode = ${value(mode)}`,
    ...ranged('d.day'),
  ].join(' and ');
  const bound = (edge: string): string =>
    `(select ${edge} from transaction_days d where ${inDays})`;
  return [
    ...onDays,
    `${table}.position >= ${bound('min(d.first_position)')}`,
    `${table}.position <= ${bound('max(d.last_position)')}`,
  ];
}

/** The kinds of a page's items, as the listings have them: collections by their origin, and payouts. */
export function kindsOf({ type, origin }: TransactionsPage): readonly (Origin | 'payout')[] {
  const collections = type === 'payout' ? [] : origins;
  if (origin !== undefined) return collections.filter((one) => one === origin);
  return type === 'collection' ? collections : [...collections, 'payout'];
}

/**
 * The conditions of a page's type and origin on the item `t`, which never change. They are written into the text, since
 * no plan for any value can use an index of one type or origin.
 */
export function ofType({ type }: TransactionsPage): string[] {
  return type === undefined ? [] : [`t.type = ${literal(type)}`];
}

export function cameBy({ origin }: TransactionsPage): string[] {
  return origin === undefined ? [] : [`t.came_by = ${literal(origin)}`];
}

function literal(word: NonNullable<TransactionsPage['type' | 'origin']>): string {
  return `'${word}'`;
}

/** The condition of a page's account on the item `t`. */
function ofAccount({ accountNo }: TransactionsPage, value: Value): string[] {
  return accountNo === undefined ? [] : [`t.account_no = ${value(accountNo)}`];
}

/** The conditions of a page's origin, account and attention on the item `t`. */
export function narrowed(page: TransactionsPage, value: Value): string[] {
  const { attention } = page;
  return [
    ...cameBy(page),
    ...ofAccount(page, value),
    ...(attention ? [`(t.status = 'pending_approval' or t.under_review or ${waitsForFloat})`] : []),
  ];
}
