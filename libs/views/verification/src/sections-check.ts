import { type Queryable } from '#infra/postgres';
import { sectionOf } from '#views/balances';
import { type Differences } from './difference.js';
import { type Posting } from './ledger-check.js';
import {
  compareSmallTable,
  readSmallTable,
  type SmallTable,
  type StoredTable,
} from './table-check.js';

const table: SmallTable = {
  name: 'ledger_sections',
  keyIs: 'account',
  columns: [
    { name: 'account', sql: `mode || ':' || currency || ':' || account || ' ' || section` },
    ...['credits_minor', 'debits_minor', 'entries'].map((name) => ({ name })),
  ],
};

interface Sums {
  credits: bigint;
  debits: bigint;
  entries: bigint;
}

/** Compares the totals of sections with the log. Memory: one entry per section of an account. */
export class SectionsCheck {
  readonly #sums = new Map<string, Sums>();
  #stored: StoredTable | undefined;

  posted({ event, legs, mode, currency }: Posting): void {
    const section = sectionOf(event.position);
    for (const { account, amountMinor } of legs) {
      const key = `${mode}:${currency}:${account} ${section}`;
      let sums = this.#sums.get(key);
      if (!sums) this.#sums.set(key, (sums = { credits: 0n, debits: 0n, entries: 0n }));
      if (amountMinor >= 0n) sums.credits += amountMinor;
      else sums.debits -= amountMinor;
      sums.entries += 1n;
    }
  }

  async read(snapshot: Queryable): Promise<void> {
    this.#stored = await readSmallTable(table, snapshot);
  }

  finish(differences: Differences): void {
    if (!this.#stored) throw new TypeError('the table of sections was not read');
    const expected = new Map(
      [...this.#sums].map(([key, { credits, debits, entries }]) => [
        key,
        [key, credits.toString(), debits.toString(), entries.toString()] as const,
      ]),
    );
    compareSmallTable(table, expected, this.#stored, differences);
  }
}
