import { setTimeout as sleep } from 'node:timers/promises';
import { type EventStore, type Position } from '#domain/event-sourcing';
import { type Clock, DependencyUnavailable, type Timer } from '#domain/kernel';
import { type Database, isDiskFull, Lease } from '#infra/postgres';
import { Metrics } from '#infra/runtime';
import { noteReceiptConflicts } from '#views/reviews';
import { completeViews } from '#views/view-set';
import { BulkPlans, Projector, projectorLease, SqlViews } from '#views/projection';

export interface FollowingOptions {
  readonly database: Database;
  readonly store: EventStore;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly schema: string;
  /** This process, different at each start. */
  readonly holder: string;
  /** Whether merchants are told from this set. */
  readonly tells: boolean;
  /** Whether it is far behind, so that it is filled in large batches. */
  readonly isBulk?: boolean;
  /** It goes no further until it is told to. */
  readonly upTo?: Position;
}

/** Failures in a row, without an event applied between them, after which it gives up: about a minute. */
const maxFailures = 12;
const longestPauseMs = 8000;
const lookEveryMs = 5;
/** An item's events are mostly in one batch, so that its row is written once; some tens of megabytes are held. */
const bulkBatch = 8000;

/** A set of views beside the serving one, kept up to date by a projector of its own in this process. */
export class Following {
  readonly #views: Database;
  readonly #projector: Projector;
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;
  #failure: unknown;
  #events = 0;

  constructor(private readonly options: FollowingOptions) {
    const { database, store, clock, timer, schema, holder, tells, isBulk = false } = options;
    this.#views = database.beside({
      searchPath: [schema],
      statementTimeoutMs: 60_000,
      isPipelined: !isBulk,
      poolSize: 4,
    });
    this.#projector = new Projector({
      ...{ store, clock, timer },
      metrics: new Metrics(),
      views: new SqlViews(this.#views, {
        ...{ schema, tells },
        ...(isBulk && { bulk: new BulkPlans() }),
      }),
      ...(isBulk && { maxBatch: bulkBatch }),
      lease: new Lease(this.#views, { name: projectorLease(schema), holder }),
      onApplied: (events) => {
        this.#events += events;
      },
    });
    void this.#projector.bound(options.upTo);
    this.#ended = this.#follow().catch((error: unknown) => {
      this.#failure = error;
    });
  }

  /** Applied in this process. */
  get events(): number {
    return this.#events;
  }

  /**
   * Goes no further than the position from now on; everywhere, where there is none.
   * @returns where the set stands, once no batch is under way
   */
  async bound(upTo: Position | undefined): Promise<Position> {
    this.#requireWell();
    return this.#projector.bound(upTo);
  }

  /** @returns whether the set comes to stand at the position, and goes no further, in time */
  async reach(position: Position, withinMs: number): Promise<boolean> {
    for (const endsAt = performance.now() + withinMs; ;) {
      if ((await this.bound(position)) >= position) return true;
      if (performance.now() >= endsAt) return false;
      await sleep(lookEveryMs);
    }
  }

  /** Writes nothing more. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#ended;
    await this.#views.close();
  }

  /** What broke is the bounder's to know. */
  #requireWell(): void {
    if (this.#failure !== undefined) throw this.#failure as Error;
  }

  /** Term after term, until it is stopped or nothing goes well any more. */
  async #follow(): Promise<void> {
    const { signal } = this.#stop;
    const isOver = (): boolean => signal.aborted;
    let [failures, before] = [0, 0];
    while (!isOver()) {
      try {
        await this.#projector.lead(signal);
        if (!isOver()) await this.options.timer.sleep(200, signal);
      } catch (error) {
        if (isOver()) return;
        failures = this.#events > before ? 1 : failures + 1;
        before = this.#events;
        const isPassing = error instanceof DependencyUnavailable && !isDiskFull(error);
        if (!isPassing || failures > maxFailures) throw error;
        await this.options.timer.sleep(Math.min(100 * 2 ** failures, longestPauseMs), signal);
      }
    }
  }
}

export interface FillOptions extends Omit<FollowingOptions, 'isBulk'> {
  readonly upTo: Position;
  /** Ends it; what is filled until then is gone on with by the next call. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (position: Position, events: number) => void;
}

const tellEveryMs = 100;
/** What reads all receipts. */
const longestMs = 3_600_000;

/**
 * Brings a set that was made to be filled (`createViews`) up to the position, in large batches and without the indexes
 * that listing needs, and adds those in the end.
 */
export async function fillViews({
  upTo,
  signal,
  onProgress,
  ...options
}: FillOptions): Promise<void> {
  const { database, schema, timer } = options;
  const set = new Following({ ...options, upTo, isBulk: true });
  try {
    for (;;) {
      const position = await set.bound(upTo);
      if (signal?.aborted === true) return;
      if (position >= upTo) break;
      onProgress?.(position, set.events);
      await timer.sleep(tellEveryMs, signal);
    }
  } finally {
    await set.stop();
  }
  const views = database.beside({ searchPath: [schema], statementTimeoutMs: longestMs });
  try {
    await noteReceiptConflicts(views);
  } finally {
    await views.close();
  }
  await completeViews(database, schema);
}
