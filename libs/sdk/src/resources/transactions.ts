import { notAPage } from '../errors/pesapost-error.js';
import { type Connection } from '../http/connection.js';
import { type QueryParameter } from '../signing/canonical-query.js';
import {
  type PastReadOptions,
  type Transaction,
  type TransactionFilters,
  type TransactionsPage,
} from '../types.js';

const path = '/api/v4/transactions';

/** The list of collections and payouts, newest first. */
export class Transactions {
  constructor(private readonly connection: Connection) {}

  /** Returns one page. @throws PesaPostError */
  async list(
    filters: TransactionFilters = {},
    { minPosition, atPosition, signal }: PastReadOptions = {},
  ): Promise<TransactionsPage> {
    const query = parametersOf(filters);
    const options = { minPosition, atPosition, signal };
    const answer = await this.connection.send({ method: 'GET', path, query, ...options });
    const { data, next_cursor } = answer.body as unknown as TransactionsPage;
    return { data, next_cursor, ledgerPosition: answer.ledgerPosition };
  }

  /**
   * Yields page after page, from the newest or from `filters.cursor` to the end. To continue on another day, store the
   * last page's `next_cursor`.
   * @throws PesaPostError
   */
  async *pages(
    filters: TransactionFilters = {},
    options: PastReadOptions = {},
  ): AsyncGenerator<TransactionsPage, void, undefined> {
    let { cursor } = filters;
    for (;;) {
      const page = await this.list(
        cursor === undefined ? filters : { ...filters, cursor },
        options,
      );
      yield page;
      if (page.next_cursor === null) return;
      // A cursor that leads to itself, or none, would be followed for ever (SDK-14).
      if (page.next_cursor === cursor || typeof page.next_cursor !== 'string') throw notAPage(path);
      cursor = page.next_cursor;
    }
  }

  /**
   * Yields every item of every page: `for await (const transaction of client.transactions.all({ status: 'completed'
   * }))`.
   */
  async *all(
    filters: TransactionFilters = {},
    options: PastReadOptions = {},
  ): AsyncGenerator<Transaction, void, undefined> {
    for await (const page of this.pages(filters, options)) yield* page.data;
  }
}

function parametersOf(filters: TransactionFilters): QueryParameter[] {
  return Object.entries(filters as Record<string, string | number | undefined>).flatMap(
    ([name, value]) => (value === undefined ? [] : [[name, String(value)] as const]),
  );
}
