import { type Queryable } from '#postgres';
import { type Differences } from './difference.js';
import { type Posting } from './ledger-check.js';
import { fieldEnd, lineOf, StoredLines } from './stored-lines.js';

const select = `
  select ${lineOf(['mode', 'currency', 'account', 'credits_minor', 'debits_minor'])} from balances`;

interface Sums {
  credits: bigint;
  debits: bigint;
}

/** The balances against the sums of all legs in the log. Memory: one entry an account. */
export class BalanceCheck {
  readonly #sums = new Map<string, Sums>();

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

  async finish(transaction: Queryable, differences: Differences): Promise<void> {
    const lines = await StoredLines.open(transaction, 'balances', select);
    const stored = new Set<string>();
    for await (const line of lines.rest()) {
      const [mode, currency, account, credits = '', debits = ''] = line.split(fieldEnd);
      const key = [mode, currency, account].join(fieldEnd);
      stored.add(key);
      compare(key, this.#sums.get(key), { credits, debits }, differences);
    }
    for (const [key, sums] of this.#sums)
      if (!stored.has(key)) compare(key, sums, undefined, differences);
  }
}

function compare(
  key: string,
  expected: Sums | undefined,
  found: { readonly credits: string; readonly debits: string } | undefined,
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
