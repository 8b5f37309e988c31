import { type CorrectionPosted } from '#domain/corrections';
import { type RecordedEvent } from '#domain/event-sourcing';
import { type Queryable } from '#infra/postgres';
import { type ItemEvent, type TransactionRow } from '#views/transactions';

/** All that bear a receipt, by mode and receipt. */
export const receiptBearers = `
  select r.mode, r.receipt, t.stream from receipts r join transactions t using (position)
  union all
  select mode, receipt, stream from corrections where receipt is not null and posted_at is not null`;

const note = {
  name: 'receipt-conflicts-note',
  text: `
  insert into receipt_conflicts (mode, receipt, stream, flagged)
  select mode, receipt, stream, stream like 'correction-%'
  from (
    select b.*, count(*) over (partition by b.mode, b.receipt) as bearers
    from (select distinct * from unnest($1::text[], $2::text[]) as told (mode, receipt)) asked
    cross join lateral (
      select r.mode, r.receipt, t.stream from receipts r join transactions t using (position)
        where r.mode = asked.mode and r.receipt = asked.receipt
      union all
      select c.mode, c.receipt, c.stream from corrections c
        where c.mode = asked.mode and c.receipt = asked.receipt and c.receipt is not null
          and c.posted_at is not null
    ) b
  ) found
  where bearers > 1
  on conflict do nothing`,
};
// It may come before the other bearer is told of, where that one's merchant stood still.
const noteFlagged = {
  name: 'receipt-conflicts-flagged',
  text: `
  insert into receipt_conflicts (mode, receipt, stream, flagged)
  select mode, receipt, stream, true
  from transactions
  where stream = any($1) and receipt is not null
  on conflict (mode, receipt, stream) do update set flagged = true`,
};

const noteAll = `
  with shared as (
    select mode, receipt
    from (
      select mode, receipt from receipts
      union all
      select mode, receipt from corrections where receipt is not null and posted_at is not null
    ) told
    group by mode, receipt having count(*) > 1
  )
  insert into receipt_conflicts (mode, receipt, stream, flagged)
  select b.mode, b.receipt, b.stream, b.stream like 'correction-%'
  from (${receiptBearers}) b join shared using (mode, receipt)
  on conflict do nothing`;

/** The same for all that the views hold, where batches did not look for it. */
export async function noteReceiptConflicts(database: Queryable): Promise<void> {
  await database.query(noteAll);
}

/**
 * Which streams share a receipt: looked for among those alone that the batch tells, when its rows are written.
 * @param told `isFilling`: all are looked for in the end (`noteReceiptConflicts`)
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

/** Whether the event gives its collection or payout to people because another stream bears its receipt. */
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
 * The streams of collections and payouts whose receipt another stream bears, and that nobody was told of yet; by their
 * names.
 * @param after the stream behind which to look, for who goes on from an earlier answer
 */
export async function unflaggedReceiptConflicts(
  database: Queryable,
  limit: number,
  after = '',
): Promise<string[]> {
  const rows = await database.query<{ stream: string }>(unflagged, [limit, after]);
  return rows.map(({ stream }) => stream);
}
