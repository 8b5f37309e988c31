import { type Position } from '#domain/event-sourcing';
import { type Queryable } from '#infra/postgres';
import { recordset } from '#views/view-set';
import { walletNumberOf } from './account-days.js';
import { accountKey, type AccountOfLedger, type LedgerEntry } from './ledger-entry.js';

/** A section has 2 to this power positions: some thousands of postings, if the log contains nothing else. */
export const sectionBits = 24n;

/** Returns the section of the log that contains a position. */
export function sectionOf(position: Position): bigint {
  return position >> sectionBits;
}

const noPurposes = {
  collections: 0n,
  payouts: 0n,
  collected_minor: 0n,
  paid_out_minor: 0n,
  fees_minor: 0n,
};
const nothing = { credits_minor: 0n, debits_minor: 0n, entries: 0n, ...noPurposes };

/** The columns of a wallet's sums by purpose: collections and payouts. The rest of its entries are corrections. */
export const purposes = Object.keys(noPurposes);
/** The columns of all sums. */
const sums = Object.keys(nothing);

/** The sums of entries for one account and section. The sums by purpose are 0 unless it is a wallet. */
type SectionChange = AccountOfLedger & typeof nothing & { readonly section: bigint };

const add = {
  name: 'ledger-sections-add',
  text: `
  insert into ledger_sections as s
  select * from json_populate_recordset(null::ledger_sections, $1)
  on conflict (mode, currency, account, section) do update set
    ${sums.map((sum) => `${sum} = s.${sum} + excluded.${sum}`).join(', ')}`,
};

/**
 * Adds the batch's legs to their sections: usually one row per account.
 * @param entries whole postings
 */
export async function projectLedgerSections(
  transaction: Queryable,
  entries: readonly LedgerEntry[],
): Promise<void> {
  if (entries.length === 0) return;
  await transaction.query(add, [recordset(sectionChanges(entries))]);
}

function sectionChanges(entries: readonly LedgerEntry[]): readonly SectionChange[] {
  const changes = new Map<string, SectionChange>();
  const fees = feesOf(entries);
  for (const entry of entries) {
    const { mode, currency, account, position, amount_minor: amount } = entry;
    const section = sectionOf(position);
    const key = `${accountKey(entry)} ${section}`;
    let change = changes.get(key);
    if (!change) {
      change = { mode, currency, account, section, ...nothing };
      changes.set(key, change);
    }
    if (amount >= 0n) change.credits_minor += amount;
    else change.debits_minor -= amount;
    change.entries += 1n;
    if (walletNumberOf(account) !== undefined) addPurpose(change, entry, fees.get(position) ?? 0n);
  }
  return [...changes.values()];
}

/** The fee of each posting that has one, by its position. */
function feesOf(entries: readonly LedgerEntry[]): ReadonlyMap<bigint, bigint> {
  const fees = new Map<bigint, bigint>();
  for (const { account, position, amount_minor: amount } of entries)
    if (account === 'fees') fees.set(position, (fees.get(position) ?? 0n) + amount);
  return fees;
}

/** The stream's prefix gives the purpose of an entry. A correction's fee is part of the correction. */
function addPurpose(
  change: SectionChange,
  { stream, amount_minor: amount }: LedgerEntry,
  fee: bigint,
): void {
  // A collection's wallet gets the payment less the fee; a payout's wallet gives the payment and the fee.
  if (stream.startsWith('collection-')) {
    change.collections += 1n;
    change.collected_minor += amount + fee;
  } else if (stream.startsWith('payout-')) {
    change.payouts += 1n;
    change.paid_out_minor -= amount + fee;
  } else return;
  change.fees_minor += fee;
}

/** SQL expressions of an account and of a position. */
interface UpTo {
  readonly mode: string;
  readonly currency: string;
  readonly account: string;
  readonly position: string;
}

/**
 * A subquery of one row: `credits_minor`, `debits_minor` (positive) and `entries` of an account up to and including a
 * position. It reads whole sections, and entries only of the last one: as quick for an account that has millions.
 */
export function sumsUpTo({ mode, currency, account, position }: UpTo): string {
  const at = `mode = ${mode} and currency = ${currency} and account = ${account}`;
  const section = `(${position})::bigint >> ${sectionBits}`;
  return `(
    select coalesce(sum(credits_minor), 0) as credits_minor, coalesce(sum(debits_minor), 0) as debits_minor,
      coalesce(sum(entries), 0)::bigint as entries
    from (
      select credits_minor, debits_minor, entries from ledger_sections where ${at} and section < ${section}
      union all
      select greatest(amount_minor, 0), greatest(-amount_minor, 0), 1 from ledger_entries
      where ${at} and position >= (${section}) << ${sectionBits} and position <= ${position}
    ) parts
  )`;
}

/**
 * A subquery of one row: the sums by purpose of a wallet up to and including a position, with the names of the columns.
 * It reads whole sections, and the last one's postings of all accounts, which lie side by side: a look-up of each fee
 * would cost more.
 */
export function purposesUpTo({ mode, currency, account, position }: UpTo): string {
  const section = `(${position})::bigint >> ${sectionBits}`;
  const own = `account = ${account}`;
  return `(
    select ${purposes.map((sum) => `coalesce(sum(${sum}), 0) as ${sum}`).join(', ')}
    from (
      select ${purposes.join(', ')} from ledger_sections
      where mode = ${mode} and currency = ${currency} and ${own} and section < ${section}
      union all
      select collections, payouts, collections * (wallet + fee), -payouts * (wallet + fee), (collections + payouts) * fee
      from (
        select sum(amount_minor) filter (where ${own}) as wallet,
          coalesce(sum(amount_minor) filter (where account = 'fees'), 0) as fee,
          (min(stream) like 'collection-%')::int as collections, (min(stream) like 'payout-%')::int as payouts
        from ledger_entries
        where mode = ${mode} and currency = ${currency}
          and position >= (${section}) << ${sectionBits} and position <= ${position}
        group by position
      ) postings
      where wallet is not null
    ) parts
  )`;
}
