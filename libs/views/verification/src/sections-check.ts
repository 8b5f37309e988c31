import { type Queryable } from '#infra/postgres';
import { purposes, sectionBits, sectionOf } from '#views/balances';
import {
  accountAndPart,
  isDifferent,
  lineOfBoth,
  nameDifference,
  nameExcess,
  type SumsTable,
} from './compared-sums.js';
import { type Differences } from './difference.js';
import { beforeAllPositions } from './stored-lines.js';

const key = ['mode', 'currency', 'account', 'section'] as const;
const table: SumsTable = {
  table: 'ledger_sections',
  key,
  sums: ['credits_minor', 'debits_minor', 'entries', ...purposes],
  accountOf: accountAndPart,
};

const nextEntry = `select position from ledger_entries where position > $1 order by position limit 1`;

/** Accounts of one section whose row is missing, or has other sums than the entries. Each row is one look-up. */
const different = `
  select ${lineOfBoth({ ...table, key: key.map((name) => `e.${name}`) })}
  from (
    select mode, currency, account, position >> ${sectionBits} as section,
      sum(greatest(amount_minor, 0)) as credits_minor, sum(greatest(-amount_minor, 0)) as debits_minor,
      count(*) as entries, sum(collection) as collections, sum(payout) as payouts,
      sum(collection * (amount_minor + fee)) as collected_minor, sum(-payout * (amount_minor + fee)) as paid_out_minor,
      sum((collection + payout) * fee) as fees_minor
    from (
      select *, (account like 'wallet:%' and stream like 'collection-%')::int as collection,
        (account like 'wallet:%' and stream like 'payout-%')::int as payout,
        coalesce(sum(amount_minor) filter (where account = 'fees') over (partition by position), 0) as fee
      from ledger_entries where position >= $1 and position <= $2
    ) legs
    group by mode, currency, account, section
  ) e
  left join lateral (
    select f.* from ledger_sections f where ${key.map((name) => `f.${name} = e.${name}`).join(' and ')} limit 1
  ) s on true
  where ${isDifferent(table)}
  order by e.mode, e.currency, e.account`;

const firstPosition = `(p.section << ${sectionBits})`;

/** Rows without an entry. A number that is no section would otherwise name the entries of another one. */
const strange = {
  before: ['', '', '', beforeAllPositions],
  condition: `${firstPosition} >> ${sectionBits} <> p.section or not exists (
    select from ledger_entries e
    where e.mode = p.mode and e.currency = p.currency and e.account = p.account
      and e.position >= ${firstPosition} and e.position <= (${firstPosition} | ${(1n << sectionBits) - 1n}))`,
} as const;

/**
 * Compares the sums of sections with the ledger entries, which themselves are compared with the log. Each statement is
 * one snapshot, in which both agree at any time. So this needs no place in the walk, and no memory that grows. If
 * entries differ from the log, their sums are not those of the log, so the sections are not compared.
 */
export async function checkSections(database: Queryable, differences: Differences): Promise<void> {
  if (differences.byTable.has('ledger_entries')) return;
  for (let after = BigInt(beforeAllPositions); ;) {
    const [next] = await database.query<{ position: bigint }>(nextEntry, [after]);
    if (!next) break;
    const from = sectionOf(next.position) << sectionBits;
    const upTo = from | ((1n << sectionBits) - 1n);
    for (const { line } of await database.query<{ line: string }>(different, [from, upTo]))
      nameDifference(line, table, differences);
    after = upTo;
  }
  await nameExcess(database, table, strange, differences);
}
