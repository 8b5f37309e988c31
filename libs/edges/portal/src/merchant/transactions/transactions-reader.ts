import { EventStore, type Position } from '#domain/event-sourcing';
import { ReadDatabase } from '#infra/postgres';
import { boundsOfDay, findBalance, findBalanceAsOf, positionBefore } from '#views/balances';
import {
  type ListedTransactions,
  listTransactions,
  listTransactionsAsOf,
  type TransactionItem,
  type TransactionsPage,
} from '#views/transactions';
import { PastReads, projectedPrefixes, type ReadBound } from '#views/view-set';
import { Injectable } from '@nestjs/common';
import { MerchantPagesOptions } from '../options.js';
import { type Place } from '../place.js';
import { filterCount, filterTotals } from './filter-totals.js';
import { type AsOf, type ListQuery } from './list-query.js';
import { type TransactionsModel } from './transactions-model.js';

/** Transactions on a page. */
const pageSize = 50;
/** Transactions that one statement of an export reads. */
const exportPageSize = 500;

/** Reads the list and the balances, both at one position (POR-16). */
@Injectable()
export class TransactionsReader {
  constructor(
    private readonly database: ReadDatabase,
    private readonly store: EventStore,
    private readonly past: PastReads,
    private readonly options: MerchantPagesOptions,
  ) {}

  private get bound(): ReadBound {
    return { maxAgeMs: this.options.readModelMaxAgeMs };
  }

  /**
   * @returns `'future'` if the query asks for a moment that has not come yet (POR-83)
   * @throws DependencyUnavailable
   */
  async read(
    place: Place,
    query: ListQuery,
  ): Promise<NonNullable<TransactionsModel['shown']> | 'future'> {
    const page = pageOf(place, query, pageSize);
    const { bound } = this;
    const accounts = place.accounts.map(({ accountNo }) => ({ ...place, accountNo }));
    if (query.at !== undefined) {
      const position = await this.positionOf(place, query.at);
      if (position === undefined) return 'future';
      return this.past.run(place.merchantId, async (past) => ({
        list: await listTransactionsAsOf(past, page, position, bound),
        balances: await inTurn(accounts, (of) => findBalanceAsOf(past, of, position, bound)),
      }));
    }
    return this.database.transaction(
      async (snapshot) => ({
        list: await listTransactions(snapshot, page, bound),
        balances: await inTurn(accounts, (of) => findBalance(snapshot, of, bound)),
        totals: await filterTotals(snapshot, page, bound),
        rows: await filterCount(snapshot, page, bound),
      }),
      { isolation: 'repeatable read', readOnly: true },
    );
  }

  /**
   * Everything that the filters match, the newest first, read page by page while the caller takes it (POR-25). The
   * first page is read at once, so that an outage is an answer and not a broken file.
   * @returns `'future'` if the query asks for a moment that has not come yet
   * @throws DependencyUnavailable
   */
  async export(
    place: Place,
    { before: _before, ...query }: ListQuery,
  ): Promise<AsyncIterable<TransactionItem> | 'future'> {
    const position = query.at && (await this.positionOf(place, query.at));
    if (query.at !== undefined && position === undefined) return 'future';
    const pageBefore = (before?: Position): Promise<ListedTransactions> => {
      const from = { ...query, ...(before === undefined ? {} : { before }) };
      if (position === undefined)
        return listTransactions(this.database, pageOf(place, from, exportPageSize), this.bound);
      const page = pageOf(place, from, pageSize);
      return this.past.run(place.merchantId, (past) =>
        listTransactionsAsOf(past, page, position, this.bound),
      );
    };
    return itemsFrom(await pageBefore(), pageBefore);
  }

  /** Returns the position to show, or undefined if the day has not begun or the log has not come to the position yet. */
  private async positionOf({ timezone }: Place, at: AsOf): Promise<Position | undefined> {
    if ('position' in at) {
      const end = await this.store.head(projectedPrefixes);
      return at.position > end ? undefined : at.position;
    }
    const { begins, ends, now } = await boundsOfDay(this.database, at.day, timezone);
    if (begins > now) return undefined;
    return positionBefore({ database: this.database, store: this.store }, ends);
  }
}

function pageOf({ merchantId, mode }: Place, query: ListQuery, limit: number): TransactionsPage {
  const { at: _at, account: accountNo, ...filters } = query;
  const ofAccount = accountNo === undefined ? {} : { accountNo };
  return { merchantId, mode, ...filters, ...ofAccount, limit };
}

async function* itemsFrom(
  first: ListedTransactions,
  pageBefore: (before: Position) => Promise<ListedTransactions>,
): AsyncGenerator<TransactionItem, void, void> {
  for (let page = first; ;) {
    yield* page.items;
    if (page.next === undefined) return;
    page = await pageBefore(page.next);
  }
}

/**
 * Runs the searches one after another: a merchant has few accounts.
 * @returns those that were found
 */
async function inTurn<Of, Found>(
  each: readonly Of[],
  find: (of: Of) => Promise<Found | undefined>,
): Promise<readonly Found[]> {
  const found: Found[] = [];
  for (const of of each) {
    const one = await find(of);
    if (one !== undefined) found.push(one);
  }
  return found;
}
