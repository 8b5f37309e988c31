import pg from 'pg';
import { viewSchema } from '#views/view-set';
import { dayOf, fill, positionStep } from './list-rows.js';
import { type Service } from './service.js';

/** A merchant with many transactions in the views, and values to look for among them. */
export interface GrownMerchant {
  /** The last day with a new transaction: YYYY-MM-DD. */
  readonly lastDay: string;
  /** A day in the middle. */
  readonly middleDay: string;
}

/** The transactions in the log come before this row. */
export const firstRow = 1000;
const perThousandUnderReview = 0.5;

/** $1 account, $2 the last row. Inserts wallet and fee legs; failed transactions moved no money. */
const insertEntries = `
  insert into ledger_entries
  select position, leg, id, stream, mode, currency, account, amount, created_at
  from transactions
  cross join lateral (values (0, 'rail-clearing:mpesa', -10000), (1, 'wallet:' || $1, 9850), (2, 'fees', 150))
    legs (leg, account, amount)
  where position > ${firstRow * positionStep} and position <= $2::bigint * ${positionStep} and status = 'completed'`;

const insertBalances = `
  insert into balances (mode, currency, account, credits_minor, debits_minor)
  select mode, currency, account, coalesce(sum(amount_minor) filter (where amount_minor > 0), 0),
    coalesce(-sum(amount_minor) filter (where amount_minor < 0), 0)
  from ledger_entries group by mode, currency, account
  on conflict (mode, currency, account) do update set
    credits_minor = excluded.credits_minor, debits_minor = excluded.debits_minor`;

const insertSections = `
  insert into ledger_sections
  select mode, currency, account, position >> 24, sum(greatest(amount_minor, 0)), sum(greatest(-amount_minor, 0)), count(*),
    sum(collection), 0, sum(collection * 10000), 0, sum(collection * 150)
  from (select *, (account like 'wallet:%')::int as collection from ledger_entries) legs group by 1, 2, 3, 4
  on conflict (mode, currency, account, section) do update set credits_minor = excluded.credits_minor,
    debits_minor = excluded.debits_minor, entries = excluded.entries, collections = excluded.collections,
    collected_minor = excluded.collected_minor, fees_minor = excluded.fees_minor`;

const insertAccountDays = `
  insert into account_days
  select e.mode, e.currency, a.account_no, (e.recorded_at at time zone m.timezone)::date,
    sum(greatest(e.amount_minor, 0)), sum(greatest(-e.amount_minor, 0))
  from ledger_entries e
  join accounts a on e.account = 'wallet:' || a.account_no
  join merchants m on m.merchant_id = a.merchant_id
  group by 1, 2, 3, 4
  on conflict (mode, currency, account_no, day) do update set credits_minor = excluded.credits_minor,
    debits_minor = excluded.debits_minor`;

const insertReferences = `
  insert into rail_references select mode, rail_reference, position from transactions
  where rail_reference is not null on conflict do nothing`;
const insertReceipts = `
  insert into receipts select mode, receipt, position from transactions
  where receipt is not null on conflict do nothing`;

const insertReviews = `
  insert into reviews
  select stream, merchant_id, mode, reference, 'no_word_from_rail', created_at, position from transactions
  where position > ${firstRow * positionStep} and position <= $1::bigint * ${positionStep}
    and position % (${positionStep} * ${1000 / perThousandUnderReview}) = 0`;

/** The merchant and its account existed before the generated transactions. */
const moveActs = `
  update acts set recorded_at =
    (select created_at from transactions where position > ${firstRow * positionStep} order by position limit 1)`;

/** Statements over the rows that are there. */
const filledFromRows = [
  ...[insertBalances, insertSections, insertAccountDays],
  ...[insertReferences, insertReceipts],
];

/** Sets the views' position after all of it, because no more events follow. */
const moveCheckpoint = `
  update checkpoint set position = $1::bigint * ${positionStep} + 1, fresh_at = now() + interval '1 day'`;

/** Fills the views as if the merchant had made this many transactions. Its transactions in the log come before them. */
export async function grow(
  { databaseUrl, merchant }: Service,
  rows: number,
): Promise<GrownMerchant> {
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  try {
    await database.query(`set search_path to ${viewSchema()}`);
    await fill(database, merchant, firstRow, rows);
    await database.query(insertEntries, [merchant.accountNo, rows]);
    for (const statement of filledFromRows) await database.query(statement);
    await database.query(insertReviews, [rows]);
    await database.query(moveActs);
    await database.query(moveCheckpoint, [rows]);
    await database.query('vacuum analyze');
  } finally {
    await database.end();
  }
  return { lastDay: dayOf(rows), middleDay: dayOf(Math.floor(rows / 2)) };
}
