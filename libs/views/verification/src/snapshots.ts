import { type Database, type Queryable, type Statement } from '#infra/postgres';

/** A page takes milliseconds. */
const pageTimeoutMs = 60_000;

/**
 * Pages are read along indexes. Postgres must neither read from a sorted copy of a table nor, if statistics are out of
 * date, scan a table that was empty once for each row of another.
 */
const alongIndexes = `set local enable_seqscan = off; set local enable_material = off`;

/**
 * Reads Postgres in short snapshots, one after the other. One snapshot for the whole comparison would keep each row
 * version that the projector leaves behind, and its updates would walk past all of them. Pages are requested before the
 * previous ones are used up, so calls wait for their turn.
 */
export class Snapshots implements Queryable {
  #last: Promise<unknown> = Promise.resolve();

  constructor(private readonly database: Database) {}

  /** One statement in a snapshot of its own. */
  query<Row extends object>(statement: Statement, values?: readonly unknown[]): Promise<Row[]> {
    return this.take((snapshot) => snapshot.query<Row>(statement, values));
  }

  /** Several statements in one snapshot; the work must not wait for anything else. */
  take<T>(
    work: (snapshot: Queryable) => Promise<T>,
    statementTimeoutMs = pageTimeoutMs,
  ): Promise<T> {
    const taken = this.#last.then(() =>
      this.database.transaction(
        async (transaction) => {
          await transaction.query(alongIndexes);
          return work(transaction);
        },
        { isolation: 'repeatable read', readOnly: true, statementTimeoutMs },
      ),
    );
    this.#last = taken.catch(() => undefined);
    return taken;
  }

  /** Resolves when no statement is under way. */
  async idle(): Promise<void> {
    await this.#last;
  }
}
