import { type Position } from '#domain/event-sourcing';
import { type Mode } from '#domain/kernel';
import { type Queryable } from '#infra/postgres';
import { recordset } from '#views/view-set';
import { accountKey, type LedgerEntry } from './ledger-entry.js';

/** A section has 2 to this power positions: some thousands of postings, if the log contains nothing else. */
export const sectionBits = 24n;

/** Returns the section of the log that contains a position. */
export function sectionOf(position: Position): bigint {
  return position >> sectionBits;
}

/** The sums of entries for one account and section. */
interface SectionChange {
  readonly mode: Mode;
  readonly currency: string;
  readonly account: string;
  readonly section: bigint;
  credits_minor: bigint;
  debits_minor: bigint;
  entries: bigint;
}

const add = {
  name: 'ledger-sections-add',
  text: `
  insert into ledger_sections as s
  select * from json_populate_recordset(null::ledger_sections, $1)
  on conflict (mode, currency, account, section) do update set
    credits_minor = s.credits_minor + excluded.credits_minor,
    debits_minor = s.debits_minor + excluded.debits_minor,
    entries = s.entries + excluded.entries`,
};

/** Adds the batch's legs to their sections: usually one row per account. */
export async function projectLedgerSections(
  transaction: Queryable,
  entries: readonly LedgerEntry[],
): Promise<void> {
  if (entries.length === 0) return;
  await transaction.query(add, [recordset(sectionChanges(entries))]);
}

function sectionChanges(entries: readonly LedgerEntry[]): readonly SectionChange[] {
  const changes = new Map<string, SectionChange>();
  for (const { mode, currency, account, position, amount_minor: amount } of entries) {
    const section = sectionOf(position);
    const key = `${accountKey({ mode, currency, account })} ${section}`;
    let change = changes.get(key);
    if (!change) {
      change = {
        mode,
        currency,
        account,
        section,
        credits_minor: 0n,
        debits_minor: 0n,
        entries: 0n,
      };
      changes.set(key, change);
    }
    if (amount >= 0n) change.credits_minor += amount;
    else change.debits_minor -= amount;
    change.entries += 1n;
  }
  return [...changes.values()];
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
