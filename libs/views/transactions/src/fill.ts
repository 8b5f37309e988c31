import { type RecordedEvent } from '#domain/event-sourcing';
import { type Instant } from '#domain/kernel';
import { type Queryable } from '#infra/postgres';
import { type LocalDays, type MerchantInstant, recordset, type Remembered } from '#views/view-set';
import { paidInstant, type TransactionRow } from './fields.js';
import { type ItemEvent } from './item.js';
import {
  identifiersIn,
  projectListings,
  projectPaidDaysLeft,
  updateTransactions,
} from './project.js';

const append = {
  name: 'transactions-append',
  text: `insert into transactions select * from json_populate_recordset(null::transactions, $1)`,
};
const appendListings = {
  name: 'transaction-listings-append',
  text: `insert into transaction_listings select * from json_populate_recordset(null::transaction_listings, $1)`,
};
const appendReferences = {
  name: 'rail-references-append',
  text: `insert into rail_references select * from json_populate_recordset(null::rail_references, $1)`,
};
const appendReceipts = {
  name: 'receipts-append',
  text: `insert into receipts select * from json_populate_recordset(null::receipts, $1)`,
};
const widenDays = {
  name: 'transaction-days-fill',
  text: `
  insert into transaction_days as d select * from json_populate_recordset(null::transaction_days, $1)
  on conflict (merchant_id, mode, day) do update set
    first_position = least(d.first_position, excluded.first_position),
    last_position = greatest(d.last_position, excluded.last_position)`,
};

interface FilledItems {
  readonly events: readonly RecordedEvent<ItemEvent>[];
  /** The rows before the batch, if they existed. */
  readonly stored: ReadonlyMap<string, TransactionRow>;
  readonly touched: ReadonlyMap<string, TransactionRow>;
}

/**
 * Writes a batch like `projectTransactions`, but into a set that is being filled. New rows go straight into their
 * tables, with their days computed before. A row of `receipts` or `rail_references` may come twice (`completeViews`).
 * @param remembered gets the new state of the rows
 */
export async function fillTransactions(
  writes: Queryable,
  { events, stored, touched }: FilledItems,
  days: LocalDays,
  remembered: Remembered<TransactionRow>,
): Promise<void> {
  const [added, changed]: [TransactionRow[], TransactionRow[]] = [[], []];
  await days.learn(instantsOf(touched.values()));
  for (const row of touched.values()) {
    if (!days.knows(row.merchant_id)) continue;
    remembered.set(row.stream, row);
    if (stored.has(row.stream)) changed.push(row);
    else added.push(row);
  }
  if (added.length > 0) await appendItems(writes, added, days);
  await updateTransactions(writes, changed);
  await projectListings(writes, stored, changed);
  await projectPaidDaysLeft(writes, stored, touched);
  const { references, receipts } = identifiersIn(events, stored, touched);
  if (references.length > 0) await writes.query(appendReferences, [recordset(references)]);
  if (receipts.length > 0) await writes.query(appendReceipts, [recordset(receipts)]);
}

interface WidenedDay {
  readonly merchant_id: string;
  readonly mode: string;
  readonly day: string;
  first_position: bigint;
  last_position: bigint;
}

async function appendItems(
  writes: Queryable,
  added: readonly TransactionRow[],
  days: LocalDays,
): Promise<void> {
  const widened = new Map<string, WidenedDay>();
  const dayOf = ({ merchant_id }: TransactionRow, instant: Instant | null): string | null =>
    instant && days.of(merchant_id, instant);
  const rows = added.map((row) => {
    const { merchant_id, mode, position } = row;
    const day = days.of(merchant_id, row.created_at);
    const key = `${mode} ${day} ${merchant_id}`;
    const known = widened.get(key);
    if (!known)
      widened.set(key, {
        merchant_id,
        mode,
        day,
        first_position: position,
        last_position: position,
      });
    else if (position < known.first_position) known.first_position = position;
    else if (position > known.last_position) known.last_position = position;
    return { ...row, created_on: day };
  });
  const listings = added.map((row) => ({
    position: row.position,
    merchant_id: row.merchant_id,
    mode: row.mode,
    kind: row.came_by ?? row.type,
    status: row.status,
    completed_on: dayOf(row, row.completed_at),
    paid_on: dayOf(row, paidInstant(row)),
  }));
  await writes.query(append, [recordset(rows)]);
  await writes.query(appendListings, [recordset(listings)]);
  await writes.query(widenDays, [recordset([...widened.values()])]);
}

function* instantsOf(rows: Iterable<TransactionRow>): Generator<MerchantInstant> {
  for (const row of rows) {
    const { merchant_id: merchantId, created_at, completed_at } = row;
    const paid = paidInstant(row);
    yield { merchantId, instant: created_at };
    if (completed_at !== null) yield { merchantId, instant: completed_at };
    if (paid !== null && paid !== completed_at) yield { merchantId, instant: paid };
  }
}
