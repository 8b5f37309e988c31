import { type Database } from '#infra/postgres';
import { type TransactionRow } from '#views/transactions';
import {
  advanceCheckpoint,
  type Checkpoint,
  Generations,
  quarantinedPartitions,
  LocalDays,
  readCheckpoint,
  summaryOf,
} from '#views/view-set';
import { webhookEndpointKeys } from '#views/webhook-outbox';
import { applyBatch, type Filling } from './apply-batch.js';
import { BulkPlans, type Prepared, PreparedWrites, sendPrepared } from './bulk.js';
import { QuarantineSet } from './isolation.js';
import { type Batch, commitParts, fenced } from './sql-views.js';

interface SqlFillingOptions {
  /** The set's schema, the one in the database's search_path. */
  readonly schema: string;
  /** True if this set owes merchants their webhooks. */
  readonly tells: boolean;
  /** A statement with fewer rows is not copied. */
  readonly minRows?: number;
}

/** Maximum number of cached rows; each takes about a kilobyte. */
const maxRows = 20_000;
const maxKeys = 100_000;

/** Data kept from one batch to the next. */
interface Known extends Filling {
  readonly rows: Generations<TransactionRow>;
  readonly links: Generations<Uint8Array | null>;
  readonly sequences: Generations<bigint>;
  readonly held: QuarantineSet;
  readonly isUnlinked: boolean;
}

/**
 * A set of views that no process reads yet, for the process that fills it. It prepares a batch while the previous one
 * is written, from the stored rows and from those that the previous batch is about to write.
 */
export class SqlFilling {
  readonly #plans: BulkPlans;
  #known: Promise<Known> | undefined;

  /** @param database its transactions are pipelined */
  constructor(
    private readonly database: Database,
    private readonly options: SqlFillingOptions,
  ) {
    this.#plans = new BulkPlans(options.minRows);
  }

  /** Discards everything that was prepared; committed rows are read again. @returns the checkpoint of the set */
  begin(): Promise<Checkpoint> {
    this.#known = undefined;
    return readCheckpoint(this.database);
  }

  /**
   * The statements that apply the batch. Only the batch that was prepared last may still be under way.
   * @throws an error of `isFaultOfAnEvent`; DependencyUnavailable, UnprojectableEvent
   */
  async prepare({ events }: Batch): Promise<readonly Prepared[]> {
    const known = await (this.#known ??= this.#read());
    for (const kept of [known.rows, known.links, known.sequences, known.days]) kept.turn();
    const writes = new PreparedWrites(this.database, this.#plans);
    const isLinked = !known.isUnlinked;
    await applyBatch(
      writes,
      events.filter((event) => !known.held.holds(event)),
      { isFilling: true, isLinked, filling: known },
    );
    return writes.statements;
  }

  /**
   * Applies the prepared batch and moves the checkpoint, both or neither. No commit waits for the disk: a batch that is
   * lost is filled again.
   * @throws like `Views.commit`, or an error of `isFaultOfAnEvent`: then nothing is applied
   */
  write({ from, to, fence }: Batch, statements: readonly Prepared[]): Promise<void> {
    return fenced(this.database, this.options.schema, fence, async (transaction) => {
      // Postgres runs them one after the other by itself. The first failure is reported, and no later statement runs.
      await Promise.all([
        transaction.query('set local synchronous_commit = off'),
        advanceCheckpoint(transaction, from, to),
        ...sendPrepared(transaction, statements),
      ]);
    });
  }

  /** Does the same as `write` for a batch with a faulty event, which quarantines only its own merchant and mode. */
  async writeParts(batch: Batch): Promise<void> {
    const { tells } = this.options;
    await fenced(this.database, this.options.schema, batch.fence, (transaction) =>
      commitParts(transaction, batch, { tells, isFilling: true }),
    );
    this.#known = undefined;
  }

  async #read(): Promise<Known> {
    const { database, options } = this;
    const [held, { unlinked }, endpoints] = [
      await quarantinedPartitions(database),
      await summaryOf(database),
      options.tells ? await webhookEndpointKeys(database) : undefined,
    ];
    return {
      reads: database,
      rows: new Generations(maxRows),
      links: new Generations(maxKeys),
      sequences: new Generations(maxKeys),
      days: new LocalDays(database),
      ...(endpoints && { endpoints }),
      held: new QuarantineSet(held),
      isUnlinked: unlinked,
    };
  }
}
