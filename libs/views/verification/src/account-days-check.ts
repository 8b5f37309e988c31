import { type Queryable } from '#infra/postgres';
import {
  accountAndPart,
  isDifferent,
  lineOfBoth,
  nameDifference,
  nameExcess,
  type SumsTable,
} from './compared-sums.js';
import { type Differences } from './difference.js';
import { type Snapshots } from './snapshots.js';

const table: SumsTable = {
  table: 'account_days',
  key: ['mode', 'currency', 'account_no', 'day'],
  sums: ['credits_minor', 'debits_minor'],
  accountOf: accountAndPart,
};

/** Entries that one statement sums up, unless one wallet alone has more. A wallet counts as some entries more. */
const entriesAtOnce = 50_000;
const entriesOfAWallet = 100;
/** The hundred million entries of one wallet take minutes. */
const walletTimeoutMs = 1_800_000;

const walletsAtOnce = 1000;
const selectWallets = `
  select b.mode, b.currency, split_part(b.account, ':', 2) as account_no, (
    select coalesce(sum(s.entries), 0)::bigint from ledger_sections s
    where s.mode = b.mode and s.currency = b.currency and s.account = b.account
  ) as entries
  from balances b where (b.mode, b.currency, b.account) > ($1, $2, 'wallet:' || $3) and b.account like 'wallet:%'
  order by b.mode, b.currency, b.account limit ${walletsAtOnce}`;

/** Wallets of one mode and currency that are compared at once. */
interface Wallets {
  readonly mode: string;
  readonly currency: string;
  readonly accountNos: string[];
}

/**
 * Days of wallets ($3, of mode $1 and currency $2) whose row is missing or in excess, or has other sums than the entries.
 * Each wallet is one look-up of its entries and one of its days.
 */
const different = `
  with entries as (
    select $1 as mode, $2 as currency, a.account_no, e.*
    from unnest($3::text[]) as wallet (account_no)
    join accounts a on a.account_no = wallet.account_no
    join merchants m on m.merchant_id = a.merchant_id
    cross join lateral (
      select (recorded_at at time zone m.timezone)::date as day,
        sum(greatest(amount_minor, 0)) as credits_minor, sum(greatest(-amount_minor, 0)) as debits_minor
      from ledger_entries where mode = $1 and currency = $2 and account = 'wallet:' || a.account_no
      group by day
    ) e
  ), days as (
    select d.*
    from unnest($3::text[]) as wallet (account_no)
    cross join lateral (
      select * from account_days
      where mode = $1 and currency = $2 and account_no = wallet.account_no offset 0
    ) d
  )
  select ${lineOfBoth(table)}
  from entries e full join days s using (${table.key.join(', ')})
  where ${isDifferent(table)}
  order by ${table.key.join(', ')}`;

/** Rows of a wallet without an entry. */
const strange = {
  before: ['', '', '', '-infinity'],
  condition: `not exists (
    select from balances b
    where b.mode = p.mode and b.currency = p.currency and b.account = 'wallet:' || p.account_no)`,
} as const;

/**
 * Compares the days of wallets with the ledger entries, which themselves are compared with the log. Each statement is
 * one snapshot, in which both agree at any time. If entries differ from the log, their sums are not those of the log, so
 * the days are not compared. Memory does not grow with wallets or days.
 */
export async function checkAccountDays(
  snapshots: Snapshots,
  differences: Differences,
): Promise<void> {
  if (differences.byTable.has('ledger_entries')) return;
  for await (const { mode, currency, accountNos } of walletsOf(snapshots)) {
    const lines = await snapshots.take(
      (snapshot) => snapshot.query<{ line: string }>(different, [mode, currency, accountNos]),
      walletTimeoutMs,
    );
    for (const { line } of lines) nameDifference(line, table, differences);
  }
  await nameExcess(snapshots, table, strange, differences);
}

/** All wallets, in groups with about as many entries each. */
async function* walletsOf(database: Queryable): AsyncGenerator<Wallets, void, void> {
  type Row = Omit<Wallets, 'accountNos'> & {
    readonly account_no: string;
    readonly entries: bigint;
  };
  let group: Wallets | undefined;
  let entries = 0;
  for (let after: readonly string[] | undefined = ['', '', '']; after;) {
    const page: readonly Row[] = await database.query<Row>(selectWallets, after);
    for (const { mode, currency, account_no, entries: own } of page) {
      const isOther = group?.mode !== mode || group.currency !== currency;
      if (group && (isOther || entries + Number(own) > entriesAtOnce)) {
        yield group;
        group = undefined;
      }
      if (!group) [group, entries] = [{ mode, currency, accountNos: [] }, 0];
      group.accountNos.push(account_no);
      entries += Number(own) + entriesOfAWallet;
    }
    const last = page.at(-1);
    after =
      last && page.length === walletsAtOnce
        ? [last.mode, last.currency, last.account_no]
        : undefined;
  }
  if (group) yield group;
}
