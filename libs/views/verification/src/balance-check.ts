import { type Queryable } from '#infra/postgres';
import { type Differences } from './difference.js';
import { type Posting } from './ledger-check.js';
import { fieldEnd, lineOf } from './stored-lines.js';

const select = `
  select ${lineOf(['mode', 'currency', 'account', 'credits_minor', 'debits_minor'])} from balances`;

interface Sums {
  credits: bigint;
  debits: bigint;
}

interface Stored {
  readonly credits: string;
  readonly debits: string;
}

/** The balances against the sums of all legs in the log. Memory: two entries an account. */
export class BalanceCheck {
  readonly #sums = new Map<string, Sums>();
  readonly #stored = new Map<string, Stored>();

  get accounts(): number {
    return this.#sums.size;
  }

  /** What was debited from each wallet, by mode, currency and account. */
  *walletDebits(): Generator<readonly [string, bigint], void, void> {
    for (const [key, { debits }] of this.#sums) {
      const parts = key.split(fieldEnd);
      if (parts[2]?.startsWith('wallet:') && debits > 0n) yield [parts.join(':'), debits];
    }
  }

  posted({ legs, mode, currency }: Posting): void {
    for (const { account, amountMinor } of legs) {
      const key = `${mode}${fieldEnd}${currency}${fieldEnd}${account}`;
      let sums = this.#sums.get(key);
      if (!sums) this.#sums.set(key, (sums = { credits: 0n, debits: 0n }));
      if (amountMinor >= 0n) sums.credits += amountMinor;
      else sums.debits -= amountMinor;
    }
  }

  /** Reads the table; the log is then followed to where this snapshot stands, and no further. */
  async read(snapshot: Queryable): Promise<void> {
    for (const { line } of await snapshot.query<{ line: string }>(select)) {
      const [mode, currency, account, credits = '', debits = ''] = line.split(fieldEnd);
      this.#stored.set([mode, currency, account].join(fieldEnd), { credits, debits });
    }
  }

  finish(differences: Differences): void {
    for (const [key, stored] of this.#stored)
      compare(key, this.#sums.get(key), stored, differences);
    for (const [key, sums] of this.#sums)
      if (!this.#stored.has(key)) compare(key, sums, undefined, differences);
  }
}

function compare(
  key: string,
  expected: Sums | undefined,
  found: Stored | undefined,
  differences: Differences,
): void {
  const [mode, currency, account = ''] = key.split(fieldEnd);
  const where = { table: 'balances', account: `${mode}:${currency}:${account}` };
  for (const name of ['credits', 'debits'] as const) {
    const [wanted = null, stored = null] = [expected?.[name].toString(), found?.[name]];
    if (wanted !== stored)
      differences.add({ ...where, field: `${name}_minor`, expected: wanted, found: stored });
  }
}
