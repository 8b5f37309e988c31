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
  /** The set's: the one that the database's search_path names. */
  readonly schema: string;
  /** Whether merchants are told from this set. */
  readonly tells: boolean;
  /** Fewer rows of a statement are not copied. */
  readonly minRows?: number;
}

/** Rows that are known without being read: each takes about a kilobyte. */
const maxRows = 20_000;
const maxKeys = 100_000;

/** What is kept from one batch to the next. */
interface Known extends Filling {
  readonly rows: Generations<TransactionRow>;
  readonly links: Generations<Uint8Array | null>;
  readonly sequences: Generations<bigint>;
  readonly held: QuarantineSet;
  readonly isUnlinked: boolean;
}

/**
 * A set of views that nobody reads yet, as whoever fills it writes it: a batch is prepared while the one before is
 * written, from the rows that are stored and from what the one before is known to write.
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

  /** Whatever was prepared is void; what is committed is read again. @returns where the set stands */
  begin(): Promise<Checkpoint> {
    this.#known = undefined;
    return readCheckpoint(this.database);
  }

  /**
   * The statements that apply the batch. The one that was prepared last may still be under way, no other.
   * @throws what `isFaultOfAnEvent` knows; DependencyUnavailable, UnprojectableEvent
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
   * Applies what was prepared of the batch and moves the checkpoint, both or neither. No commit waits for the disk: a
   * batch that is lost is filled again.
   * @throws as `Views.commit`, and what `isFaultOfAnEvent` knows: then nothing is applied
   */
  write({ from, to, fence }: Batch, statements: readonly Prepared[]): Promise<void> {
    return fenced(this.database, this.options.schema, fence, async (transaction) => {
      // Postgres goes from one to the next by itself; the first that fails is told of, and none after it runs.
      await Promise.all([
        transaction.query('set local synchronous_commit = off'),
        advanceCheckpoint(transaction, from, to),
        ...sendPrepared(transaction, statements),
      ]);
    });
  }

  /** As `write`, of a batch in which an event is at fault: it stops its merchant and mode, and nobody else. */
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
