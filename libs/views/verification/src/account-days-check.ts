import { type Queryable } from '#infra/postgres';
import { walletNumberOf } from '#views/balances';
import { LocalDays } from '#views/view-set';
import { type Differences } from './difference.js';
import { type Posting } from './ledger-check.js';
import {
  compareSmallTable,
  readSmallTable,
  type SmallTable,
  type StoredTable,
} from './table-check.js';

const table: SmallTable = {
  name: 'account_days',
  keyIs: 'account',
  columns: [
    { name: 'account', sql: `mode || ':' || currency || ':' || account_no || ' ' || day` },
    ...['credits_minor', 'debits_minor'].map((name) => ({ name })),
  ],
};

interface Sums {
  credits: bigint;
  debits: bigint;
}

/** Postings whose days are learnt at once. */
const postingsAtOnce = 2000;

/** Compares the days of wallets with the log. Memory: one entry per day of an account. */
export class AccountDaysCheck {
  readonly #sums = new Map<string, Sums>();
  readonly #days: LocalDays;
  #waiting: Posting[] = [];
  #stored: StoredTable | undefined;

  /** @param database Postgres' rules of time zones are the ones that wrote the days */
  constructor(database: Queryable) {
    this.#days = new LocalDays(database);
  }

  /** @returns a promise only if the check has to wait */
  posted(posting: Posting): void | Promise<void> {
    this.#waiting.push(posting);
    return this.#waiting.length < postingsAtOnce ? undefined : this.#count();
  }

  async read(snapshot: Queryable): Promise<void> {
    this.#stored = await readSmallTable(table, snapshot);
  }

  async finish(differences: Differences): Promise<void> {
    if (!this.#stored) throw new TypeError('the table of accounts’ days was not read');
    await this.#count();
    const expected = new Map(
      [...this.#sums].map(([key, { credits, debits }]) => [
        key,
        [key, credits.toString(), debits.toString()] as const,
      ]),
    );
    compareSmallTable(table, expected, this.#stored, differences);
  }

  async #count(): Promise<void> {
    const postings = this.#waiting;
    this.#waiting = [];
    this.#days.turn();
    await this.#days.learn(
      postings.flatMap(({ merchantId, event }) =>
        merchantId === undefined ? [] : { merchantId, instant: event.recordedAt },
      ),
    );
    for (const posting of postings) this.#add(posting);
  }

  #add({ event, legs, merchantId, mode, currency }: Posting): void {
    if (merchantId === undefined || !this.#days.knows(merchantId)) return;
    const day = this.#days.of(merchantId, event.recordedAt);
    for (const { account, amountMinor } of legs) {
      const accountNo = walletNumberOf(account);
      if (accountNo === undefined) continue;
      const key = `${mode}:${currency}:${accountNo} ${day}`;
      let sums = this.#sums.get(key);
      if (!sums) this.#sums.set(key, (sums = { credits: 0n, debits: 0n }));
      if (amountMinor >= 0n) sums.credits += amountMinor;
      else sums.debits -= amountMinor;
    }
  }
}
