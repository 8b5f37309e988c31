import { ledgerAccount } from '#domain/ledger';
import {
  type LedgerItem,
  maxApartMs,
  type ReconciledBy,
  type StatementLine,
} from '#domain/reconciliation';
import { type Queryable } from '#infra/postgres';
import { type AccountDay } from './account-day.js';

/** An item as the queries below return it; all null if a line has none. */
export interface ItemRow {
  readonly stream: string | null;
  readonly type: 'collection' | 'payout';
  readonly merchant_id: string;
  readonly account_no: string;
  readonly reference: string;
  readonly status: string;
  readonly amount_minor: bigint;
  readonly fee_minor: bigint;
  readonly own_receipt: string | null;
  readonly reverses_receipt: string | null;
  readonly account_reference: string | null;
  readonly phone_masked: string | null;
  readonly paid_on: string | null;
  readonly item_ms: number;
  readonly is_given: boolean;
  readonly is_posted: boolean;
  /** The amount that was in suspense; null if there never was any. */
  readonly held_minor: string | null;
}

// The rail moves the money within minutes of the push or of the order, whenever a query or a ruling posts it. A payout
// may have waited for days by then, for people or for float (REC-4).
const itemMs = `
  (extract(epoch from coalesce(t.paid_at, t.started_at, case when t.type = 'collection' then t.created_at end,
    t.posted_at, t.created_at)) * 1000)::float8`;

/** The kind of the line on which the rail shows the money of `transactions` t: a refund may go out as a reversal (REF-9). */
export const kindOfLine = `
  case when t.type <> 'payout' then 'payment_in' when t.reverses_receipt is null then 'payment_out' else 'reversal' end`;

/**
 * True for a transaction t of a rail: an item is only on the statements and lists of its own rail, and no line of another
 * rail's belongs to it (REC-39).
 * @param channel the expression or parameter with the rail's channel
 */
export function isOfRail(channel: string): string {
  return `t.channel = ${channel}`;
}

/** Columns of `transactions` t and its listing l. */
export const itemColumns = `
  t.stream, t.type, t.merchant_id, t.account_no, t.reference, t.status, t.amount_minor, t.fee_minor,
  t.receipt as own_receipt, t.reverses_receipt, t.account_reference, t.phone_masked, l.paid_on::text,
  ${itemMs} as item_ms, t.started_at is not null as is_given,
  t.posted_at is not null as is_posted,
  case when t.posted_at is not null and t.status <> 'completed' then (
    select sum(e.amount_minor)::text from ledger_entries e
    where e.mode = t.mode and e.currency = t.currency and e.account = 'suspense'
      and e.position > t.position and e.stream = t.stream and e.amount_minor > 0
  ) end as held_minor`;

/** The account's day, with the signed amounts by which corrections moved items, by stream. */
export interface Context extends AccountDay {
  readonly corrected: ReadonlyMap<string, bigint>;
}

/** @param receipts all known receipts of the item */
export function itemFrom(
  row: ItemRow,
  day: Context,
  receipts: readonly string[] = row.own_receipt === null ? [] : [row.own_receipt],
): LedgerItem {
  const size = row.held_minor === null ? row.amount_minor : BigInt(row.held_minor);
  const amountMinor = row.type === 'payout' ? -size : size;
  const whose =
    row.merchant_id !== day.merchantId
      ? 'other_merchant'
      : row.account_no === day.accountNo
        ? 'own'
        : 'other_account';
  return {
    id: row.stream ?? '',
    type: row.type,
    whose,
    reference: row.reference,
    state: stateOf(row),
    amountMinor: amountMinor + (day.corrected.get(row.stream ?? '') ?? 0n),
    feeMinor: row.fee_minor,
    ofDay: whose === 'own' && row.is_posted && row.paid_on === day.date,
    atMs: row.item_ms,
    ...(row.is_given ? { isGiven: true } : {}),
    receipts,
    ...(row.own_receipt === null ? {} : { receipt: row.own_receipt }),
    ...(row.reverses_receipt === null ? {} : { reverses: row.reverses_receipt }),
    ...(row.account_reference === null ? {} : { code: row.account_reference }),
    ...(row.phone_masked === null ? {} : { party: row.phone_masked }),
  };
}

function stateOf({ status, is_posted }: ItemRow): LedgerItem['state'] {
  if (status === 'completed') return 'posted';
  if (is_posted) return status === 'pending' ? 'held' : 'returned';
  return status === 'failed' || status === 'rejected' ? 'failed' : 'pending';
}

/**
 * Maximum number of items of other days in an event: with this many streams of maximum length, an event with all else
 * stays below 1 MiB (REC-16).
 */
export const maxOtherDay = 6000;
/** The maximum in the first events. */
const maxOtherDayOnce = 500;

// The list's own rows of the day (REC-17) whose receipts are not on the statement. For each adjacent day, the newest
// reconciliation counts; for the platform, only its own people's (REC-18). If that one names as many items as an event
// may, or none of the streams of its references, it may have shown more.
const withoutLine = `
  with beside as (
    select distinct on (date) date, other_day_streams,
      cardinality(other_day_streams) in (${maxOtherDayOnce}, ${maxOtherDay})
        or cardinality(other_day_streams) < cardinality(other_day) as is_partial
    from reconciliations
    where merchant_id = $1 and mode = $2 and account_no = $3 and date in ($4::date - 1, $4::date + 1) and channel = $7
      and (made_by = 'platform' or $6 = 'merchant')
    order by date, position desc
  ), shown as (
    select stream, min(date)::text as date
    from beside cross join unnest(other_day_streams) as stream
    group by stream
  )
  select ${itemColumns}, d.date as reconciled_on,
    case when d.date is null then (select min(date)::text from beside where is_partial) end as partly_recorded_on
  from transaction_listings l join transactions t using (position)
  left join shown d on d.stream = t.stream
  where l.merchant_id = $1 and l.mode = $2 and t.account_no = $3 and l.paid_on = $4::date
    and t.posted_at is not null and ${isOfRail('$7')}
    and not exists (
      select from statement_lines s
      where s.receipt = t.receipt
        and s.kind = ${kindOfLine})
  limit $5`;

/** The day's own items that no receipt matches with a line. */
export async function itemsWithoutLine(
  transaction: Queryable,
  day: Context,
  { by, limit }: { readonly by: ReconciledBy; readonly limit: number },
): Promise<readonly LedgerItem[]> {
  const rows = await transaction.query<
    ItemRow & { readonly reconciled_on: string | null; readonly partly_recorded_on: string | null }
  >(withoutLine, [day.merchantId, day.mode, day.accountNo, day.date, limit, by, day.channel]);
  return rows.map(({ reconciled_on: on, partly_recorded_on: partlyOn, ...row }) => ({
    ...itemFrom(row, day),
    ...(on === null ? {} : { reconciledOn: on }),
    ...(partlyOn === null ? {} : { partlyRecordedOn: partlyOn }),
  }));
}

// As for adjacent days, the newest reconciliation of each counts.
const shownLater = `
  with later as (
    select distinct on (date) other_day_streams from reconciliations
    where merchant_id = $1 and mode = $2 and account_no = $3 and date > $4::date and channel = $7
      and (made_by = 'platform' or $6 = 'merchant')
    order by date, position desc
  )
  select distinct stream from later cross join unnest(other_day_streams) as stream where stream = any ($5)`;

/** The items that left suspense and that a later day's statement showed as returned (REC-23). */
export async function sentBackLater(
  transaction: Queryable,
  { merchantId, mode, accountNo, date, channel }: AccountDay,
  { by, streams }: { readonly by: ReconciledBy; readonly streams: readonly string[] },
): Promise<ReadonlySet<string>> {
  if (streams.length === 0) return new Set();
  const rows = await transaction.query<{ readonly stream: string }>(shownLater, [
    ...[merchantId, mode, accountNo, date, streams, by, channel],
  ]);
  return new Set(rows.map(({ stream }) => stream));
}

/**
 * True if a transaction t begins about the day. A push is paid within minutes, and three days leave room for late
 * payments (docs/adr/0009).
 * @param day the parameter with the day
 */
export function beginsNear(day: `$${number}`): string {
  return `t.position >= (select min(first_position) from transaction_days where day >= ${day}::date - 3)
  and t.position <= (select max(last_position) from transaction_days where day <= ${day}::date + 1)`;
}

const ofCodes = `
  select ${itemColumns}
  from transactions t join transaction_listings l using (position)
  where t.mode = $1 and ${isOfRail('$4')} and ${beginsNear('$2')} and t.account_reference = any ($3)`;

/** The items with one of the lines' codes, of any merchant. */
export async function bearersOfCodes(
  transaction: Queryable,
  day: Context,
  lines: readonly StatementLine[],
): Promise<readonly LedgerItem[]> {
  const codes = [...new Set(lines.flatMap(({ code }) => code ?? []))];
  if (codes.length === 0) return [];
  const rows = await transaction.query<ItemRow>(ofCodes, [day.mode, day.date, codes, day.channel]);
  return rows.map((row) => itemFrom(row, day));
}

// If several items are near a line, none is its own, so two are enough to know that. An open payout may have been
// requested long before it was given to the rail.
const unreceipted = `
  with wanted as (
    select distinct party, amount_minor, at_ms
    from unnest($5::text[], $6::bigint[], $7::float8[]) as l (party, amount_minor, at_ms)
  ),
  free as (
    select t.position from transactions t
    where ${beginsNear('$2')} and t.phone_masked in (select party from wanted)
    union
    select t.position from open_payouts o join transactions t on t.stream = o.stream where t.started_at is not null
  ),
  near as (
    select t.position, row_number() over (partition by w.party, w.amount_minor, w.at_ms order by t.position) as nth
    from wanted w
    join transactions t on t.phone_masked = w.party
      and case t.type when 'payout' then - t.amount_minor else t.amount_minor end = w.amount_minor
    join free on free.position = t.position
    where t.mode = $3 and ${isOfRail('$8')} and t.receipt is null
      and (t.posted_at is not null or (t.merchant_id = $1 and t.account_no = $4))
      and abs(${itemMs} - w.at_ms) <= ${maxApartMs}
  )
  select ${itemColumns}
  from transactions t join transaction_listings l using (position)
  where t.position in (select position from near where nth <= 2)`;

/**
 * A day leaves fewer unmatched lines of one amount and party than this. Each is compared with all items of that party;
 * a number that everybody uses for tests may have a hundred thousand.
 */
const maxOfParty = 50;

/**
 * Items of those days without a receipt, with the amount, party and time of one of the lines: the merchant's own, and
 * any whose money is in the ledger.
 */
export async function unreceiptedItems(
  transaction: Queryable,
  day: Context,
  lines: readonly StatementLine[],
): Promise<readonly LedgerItem[]> {
  const named = lines.filter(({ party }) => party !== undefined);
  const byKey = Map.groupBy(named, ({ party, amountMinor }) => `${party ?? ''} ${amountMinor}`);
  const wanted = [...byKey.values()].filter(({ length }) => length <= maxOfParty).flat();
  if (wanted.length === 0) return [];
  const { merchantId, date, mode, accountNo } = day;
  const rows = await transaction.query<ItemRow>(unreceipted, [
    ...[merchantId, date, mode, accountNo, wanted.map(({ party }) => party)],
    ...[wanted.map(({ amountMinor }) => amountMinor), wanted.map(({ atMs }) => atMs), day.channel],
  ]);
  return rows.map((row) => itemFrom(row, day, []));
}

const corrected = `
  select c.stream, c.id, c.receipt, c.legs, c.merchant_id, c.posted_at, t.account_no
  from corrections c
  left join corrections before on before.stream = c.corrects
  left join transactions t on t.stream = coalesce(before.corrects, c.corrects)
  where c.mode = $1 and c.receipt is not null and c.posted_at is not null
    and c.receipt in (
      select s.receipt from statement_lines s
      union all
      select s.linked_receipt from statement_lines s where s.linked_receipt is not null)`;

interface CorrectionRow {
  readonly stream: string;
  readonly id: string;
  readonly receipt: string;
  readonly legs: readonly string[];
  readonly merchant_id: string;
  readonly posted_at: Date;
  /** Account of the collection or payout that it corrects, directly or through another correction. */
  readonly account_no: string | null;
}

/** Posted corrections by their receipt, if a line has it or names it as the reversed payment. */
export async function correctionsOfLines(
  transaction: Queryable,
  day: Context,
): Promise<ReadonlyMap<string, readonly LedgerItem[]>> {
  const rows = await transaction.query<CorrectionRow>(corrected, [day.mode]);
  const byReceipt = new Map<string, LedgerItem[]>();
  for (const row of rows) {
    const of = byReceipt.get(row.receipt) ?? [];
    byReceipt.set(row.receipt, [...of, correctionFrom(row, day)]);
  }
  return byReceipt;
}

function correctionFrom(row: CorrectionRow, day: Context): LedgerItem {
  return {
    id: row.stream,
    type: 'correction',
    whose: row.merchant_id === day.merchantId ? ownOrOther(row, day) : 'other_merchant',
    reference: row.id,
    state: 'posted',
    amountMinor: railMoved(row.legs, day) + (day.corrected.get(row.stream) ?? 0n),
    feeMinor: 0n,
    ofDay: false,
    atMs: row.posted_at.getTime(),
    receipt: row.receipt,
    receipts: [row.receipt],
  };
}

const walletPrefix = 'wallet:';

/**
 * Judges by the account whose wallet it moves, or else by the item that it corrects. Money in the merchant's suspense
 * belongs to every account.
 */
function ownOrOther(
  { legs, account_no }: CorrectionRow,
  { accountNo }: AccountDay,
): 'own' | 'other_account' {
  const moved = legs
    .filter((leg) => leg.startsWith(walletPrefix))
    .map((leg) => leg.slice(walletPrefix.length, leg.indexOf('=')));
  const accounts = moved.length === 0 && account_no !== null ? [account_no] : moved;
  return accounts.length === 0 || accounts.includes(accountNo) ? 'own' : 'other_account';
}

/** The rail moved the opposite of the amount on its clearing account. */
function railMoved(legs: readonly string[], { channel }: Pick<AccountDay, 'channel'>): bigint {
  const clearing = `${ledgerAccount.railClearing(channel)}=`;
  return -legs
    .filter((leg) => leg.startsWith(clearing))
    .reduce((sum, leg) => sum + BigInt(leg.slice(leg.indexOf('=') + 1)), 0n);
}

// The merchant's corrections, and other merchants' if they are about a receipt of the lines: a line belongs to one item
// (REC-7).
const correcting = `
  select stream, corrects, legs from corrections
  where mode = $1 and corrects is not null and receipt is null and posted_at is not null
    and (merchant_id = $2 or corrects like 'correction-%' or corrects in (
      select t.stream from statement_judged j
      join receipts r on r.mode = $1 and r.receipt = j.receipt join transactions t on t.position = r.position))`;

/**
 * The signed amounts by which posted corrections without their own receipt moved an item, including corrections of such
 * corrections; by the stream that has a line of its own (REC-19).
 */
export async function correctedItems(
  transaction: Queryable,
  { mode, merchantId, channel }: AccountDay,
): Promise<ReadonlyMap<string, bigint>> {
  const rows = await transaction.query<{
    readonly stream: string;
    readonly corrects: string;
    readonly legs: readonly string[];
  }>(correcting, [mode, merchantId]);
  const correctedBy = new Map(rows.map(({ stream, corrects }) => [stream, corrects]));
  const moved = new Map<string, bigint>();
  for (const { corrects, legs } of rows) {
    let stream = corrects;
    // Each correction is newer than the one that it corrects, so this loop ends.
    for (let next = correctedBy.get(stream); next !== undefined; next = correctedBy.get(stream))
      stream = next;
    moved.set(stream, (moved.get(stream) ?? 0n) + railMoved(legs, { channel }));
  }
  return moved;
}

const reversed = `
  select ${itemColumns}, r.receipt as for_receipt
  from receipts r join transactions t using (position) join transaction_listings l using (position)
  where r.mode = $1 and r.receipt = any ($2) and ${isOfRail('$3')}`;

/** The items that the remaining reversals reversed, of any merchant: by the receipt that they name, or else by their own. */
export async function reversedItems(
  transaction: Queryable,
  day: Context,
  lines: readonly StatementLine[],
): Promise<readonly LedgerItem[]> {
  const named = lines
    .filter(({ kind }) => kind === 'reversal')
    .map(({ receipt, linkedReceipt = receipt }) => linkedReceipt);
  if (named.length === 0) return [];
  const rows = await transaction.query<ItemRow & { readonly for_receipt: string }>(reversed, [
    day.mode,
    ...[[...new Set(named)], day.channel],
  ]);
  return rows.map((row) => itemFrom(row, day, [row.for_receipt]));
}

/** The day's completed items in the list, by type (REC-17). */
export type ListSums = Readonly<
  Record<
    'collection' | 'payout',
    { readonly count: number; readonly amountMinor: bigint; readonly feesMinor: bigint }
  >
>;

const sums = `
  select t.type, count(*)::int as count, sum(t.amount_minor)::text as amount, sum(t.fee_minor)::text as fees
  from transaction_listings l join transactions t using (position)
  where l.merchant_id = $1 and l.mode = $2 and l.paid_on = $4::date and l.status = 'completed' and t.account_no = $3
    and ${isOfRail('$5')}
  group by t.type`;

export async function listSums(transaction: Queryable, day: AccountDay): Promise<ListSums> {
  const rows = await transaction.query<{
    readonly type: 'collection' | 'payout';
    readonly count: number;
    readonly amount: string;
    readonly fees: string;
  }>(sums, [day.merchantId, day.mode, day.accountNo, day.date, day.channel]);
  const of = (type: 'collection' | 'payout') => {
    const row = rows.find((each) => each.type === type);
    return {
      count: row?.count ?? 0,
      amountMinor: BigInt(row?.amount ?? 0),
      feesMinor: BigInt(row?.fees ?? 0),
    };
  };
  return { collection: of('collection'), payout: of('payout') };
}
