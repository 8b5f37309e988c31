import { type Queryable, type Statement } from '#postgres';

/** Pages are asked for before the ones in hand are used up, and the driver wants one statement at a time. */
export class OneByOne implements Queryable {
  #last: Promise<unknown> = Promise.resolve();

  constructor(private readonly transaction: Queryable) {}

  query<Row extends object>(statement: Statement, values?: readonly unknown[]): Promise<Row[]> {
    const rows = this.#last.then(() => this.transaction.query<Row>(statement, values));
    this.#last = rows.catch(() => undefined);
    return rows;
  }

  /** Resolves when no statement is under way. */
  async idle(): Promise<void> {
    await this.#last;
  }
}
