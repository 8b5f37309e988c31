import { type Queryable } from '#infra/postgres';
import { type Differences } from './difference.js';
import { accountOf, bytea, type Chains, type Posting } from './ledger-check.js';
import { fieldEnd, fieldsOf, lineOf } from './stored-lines.js';

const select = `
  select ${lineOf(['mode', 'currency', 'account', 'credits_minor', 'debits_minor', 'link'])} from balances`;

interface Sums {
  credits: bigint;
  debits: bigint;
}

interface Stored {
  readonly credits: string;
  readonly debits: string;
  readonly link: string | null;
}

/** Compares the balances with the sums of all legs in the log. Memory: two entries per account. */
export class BalanceCheck {
  readonly #sums = new Map<string, Sums>();
  readonly #stored = new Map<string, Stored>();

  get accounts(): number {
    return this.#sums.size;
  }

  /** The debits of each wallet, by mode, currency and account. */
  *walletDebits(): Generator<readonly [string, bigint], void, void> {
    for (const [key, { debits }] of this.#sums) {
      const parts = key.split(fieldEnd);
      if (parts[2]?.startsWith('wallet:') && debits > 0n) yield [parts.join(':'), debits];
    }
  }

  posted(posting: Posting): void {
    for (const leg of posting.legs) {
      const { amountMinor } = leg;
      const key = accountOf(posting, leg);
      let sums = this.#sums.get(key);
      if (!sums) this.#sums.set(key, (sums = { credits: 0n, debits: 0n }));
      if (amountMinor >= 0n) sums.credits += amountMinor;
      else sums.debits -= amountMinor;
    }
  }

  /** Reads the table; the walk then continues exactly to the position of this snapshot. */
  async read(snapshot: Queryable): Promise<void> {
    for (const { line } of await snapshot.query<{ line: string }>(select)) {
      const [mode, currency, account, credits, debits, link = null] = fieldsOf(line);
      const sums = { credits: credits ?? '', debits: debits ?? '', link };
      this.#stored.set([mode, currency, account].join(fieldEnd), sums);
    }
  }

  finish(differences: Differences, { last }: Chains): void {
    for (const key of new Set([...this.#stored.keys(), ...this.#sums.keys()])) {
      const [sums, link] = [this.#sums.get(key), last.get(key)];
      const expected = sums && {
        credits: sums.credits.toString(),
        debits: sums.debits.toString(),
        link: link ? bytea(link) : null,
      };
      compare(key, expected, this.#stored.get(key), differences);
    }
  }
}

const columns = { credits: 'credits_minor', debits: 'debits_minor', link: 'link' } as const;

function compare(
  key: string,
  expected: Stored | undefined,
  found: Stored | undefined,
  differences: Differences,
): void {
  const [mode, currency, account = ''] = key.split(fieldEnd);
  const where = { table: 'balances', account: `${mode}:${currency}:${account}` };
  for (const name of ['credits', 'debits', 'link'] as const) {
    const [wanted = null, stored = null] = [expected?.[name], found?.[name]];
    if (wanted !== stored)
      differences.add({ ...where, field: columns[name], expected: wanted, found: stored });
  }
}
