import { type CorrectionPosted } from '#domain/corrections';
import { type RecordedEvent } from '#domain/event-sourcing';
import { type Queryable } from '#infra/postgres';
import { type ItemEvent, type TransactionRow } from '#views/transactions';

/** The streams with the receipts $2 of the modes $1. */
export const bearersOfReceipts = `
  select b.mode, b.receipt, b.stream
  from (select distinct * from unnest($1::text[], $2::text[]) as told (mode, receipt)) asked
  cross join lateral (
    select r.mode, r.receipt, t.stream from receipts r join transactions t using (position)
      where r.mode = asked.mode and r.receipt = asked.receipt
    union all
    select c.mode, c.receipt, c.stream from corrections c
      where c.mode = asked.mode and c.receipt = asked.receipt and c.receipt is not null
        and c.posted_at is not null
  ) b`;

const note = {
  name: 'receipt-conflicts-note',
  text: `
  insert into receipt_conflicts (mode, receipt, stream, flagged)
  select mode, receipt, stream, stream like 'correction-%'
  from (
    select b.*, count(*) over (partition by b.mode, b.receipt) as bearers from (${bearersOfReceipts}) b
  ) found
  where bearers > 1
  on conflict do nothing`,
};
// The flag may arrive before the other bearer's event if that one's merchant was quarantined.
const noteFlagged = {
  name: 'receipt-conflicts-flagged',
  text: `
  insert into receipt_conflicts (mode, receipt, stream, flagged)
  select mode, receipt, stream, true
  from transactions
  where stream = any($1) and receipt is not null
  on conflict (mode, receipt, stream) do update set flagged = true`,
};

// It reads keys only: a join with all transactions would read their whole table.
const shared = `
  select mode, receipt from receipts group by mode, receipt having count(*) > 1
  union
  select c.mode, c.receipt from corrections c
  where c.receipt is not null and c.posted_at is not null and (
    exists (select from receipts r where r.mode = c.mode and r.receipt = c.receipt)
    or exists (
      select from corrections other
      where other.mode = c.mode and other.receipt = c.receipt and other.posted_at is not null
        and other.stream <> c.stream))`;

/** Returns the modes and the receipts that more than one stream has, as values of `bearersOfReceipts`. */
export async function sharedReceipts(
  database: Queryable,
): Promise<readonly [modes: readonly string[], receipts: readonly string[]]> {
  const rows = await database.query<{ mode: string; receipt: string }>(shared);
  return [rows.map(({ mode }) => mode), rows.map(({ receipt }) => receipt)];
}

/** Notes the streams that share a receipt in all of the views, after batches that did not look for them. */
export async function noteReceiptConflicts(database: Queryable): Promise<void> {
  await database.query(note, await sharedReceipts(database));
}

/**
 * Notes streams that share a receipt. It looks only at the receipts in the batch, after the batch's rows are written.
 * @param told `isFilling`: all receipts are searched at the end (`noteReceiptConflicts`)
 * @param rows the transactions that the batch touched
 */
export async function projectReceiptConflicts(
  transaction: Queryable,
  told: {
    readonly items: readonly RecordedEvent<ItemEvent>[];
    readonly corrections: readonly RecordedEvent<CorrectionPosted>[];
    readonly isFilling: boolean;
  },
  rows: ReadonlyMap<string, TransactionRow>,
): Promise<void> {
  const [modes, receipts]: [string[], string[]] = [[], []];
  for (const { stream, data } of told.items) {
    const mode = rows.get(stream)?.mode;
    const receipt = 'receipt' in data ? data.receipt : undefined;
    if (receipt === undefined || mode === undefined) continue;
    modes.push(mode);
    receipts.push(receipt);
  }
  for (const { data } of told.corrections) {
    if (data.receipt === undefined) continue;
    modes.push(data.mode);
    receipts.push(data.receipt);
  }
  if (receipts.length > 0 && !told.isFilling) await transaction.query(note, [modes, receipts]);
  const flagged = told.items.filter(isFlaggedForReceipt).map(({ stream }) => stream);
  if (flagged.length > 0) await transaction.query(noteFlagged, [flagged]);
}

/** True if the event gives its item to people because another stream has its receipt. */
export function isFlaggedForReceipt(event: ItemEvent): boolean {
  return event.type === 'ReviewFlagged' && event.data.why === 'duplicate_receipt';
}

const unflagged = {
  name: 'receipt-conflicts-to-flag',
  text: `
  select distinct stream from receipt_conflicts where not flagged and stream > $2
  order by stream limit $1`,
};

/**
 * The streams of collections and payouts that share a receipt with another stream and were not flagged yet, in the
 * order of their names.
 * @param after the stream after which the page begins
 */
export async function unflaggedReceiptConflicts(
  database: Queryable,
  limit: number,
  after = '',
): Promise<string[]> {
  const rows = await database.query<{ stream: string }>(unflagged, [limit, after]);
  return rows.map(({ stream }) => stream);
}
