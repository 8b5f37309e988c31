import { setTimeout as sleep } from 'node:timers/promises';
import { type EventStore, type Position } from '#domain/event-sourcing';
import { type Clock, DependencyUnavailable, type Timer } from '#domain/kernel';
import { type Database, isDiskFull, Lease } from '#infra/postgres';
import { Metrics } from '#infra/runtime';
import { noteReceiptConflicts } from '#views/reviews';
import { completeViews } from '#views/view-set';
import { Filler, Projector, projectorLease, SqlFilling, SqlViews } from '#views/projection';

export interface FollowingOptions {
  readonly database: Database;
  readonly store: EventStore;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly schema: string;
  /** The id of this process, different at each start. */
  readonly holder: string;
  /** True if this set owes merchants their webhooks. */
  readonly tells: boolean;
  /** The set advances no further than this until `bound` moves it. */
  readonly upTo?: Position;
}

/** Number of consecutive failures, without an applied event in between, after which it gives up: about a minute. */
const maxFailures = 12;
const longestPauseMs = 8000;
const lookEveryMs = 5;

/** A set of views next to the serving one, maintained by a projector of its own in this process. */
export class Following {
  readonly #views: Database;
  readonly #projector: Projector;
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;
  #failure: unknown;
  #events = 0;

  constructor(private readonly options: FollowingOptions) {
    const { database, store, clock, timer, schema, holder, tells } = options;
    this.#views = database.beside({
      searchPath: [schema],
      statementTimeoutMs: 60_000,
      isPipelined: true,
      poolSize: 4,
    });
    this.#projector = new Projector({
      store,
      clock,
      timer,
      metrics: new Metrics(),
      views: new SqlViews(this.#views, { schema, tells }),
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

  /** The number of events applied in this process. */
  get events(): number {
    return this.#events;
  }

  /**
   * From now on, advances no further than the position; without limit if undefined.
   * @returns the position of the set once no batch is under way
   */
  async bound(upTo: Position | undefined): Promise<Position> {
    this.#requireWell();
    return this.#projector.bound(upTo);
  }

  /** @returns true if the set reaches the position in time; it advances no further */
  async reach(position: Position, withinMs: number): Promise<boolean> {
    for (const endsAt = performance.now() + withinMs; ;) {
      if ((await this.bound(position)) >= position) return true;
      if (performance.now() >= endsAt) return false;
      await sleep(lookEveryMs);
    }
  }

  get isStopped(): boolean {
    return this.#stop.signal.aborted;
  }

  /** Ends all writing. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#ended;
    await this.#views.close();
  }

  /** Reports the projector's failure to the caller; a stopped set would never reach a position. */
  #requireWell(): void {
    if (this.#stop.signal.aborted) throw new TypeError('a set that was stopped follows nothing');
    if (this.#failure !== undefined) throw this.#failure as Error;
  }

  #follow(): Promise<void> {
    const lead = async (signal: AbortSignal): Promise<void> => {
      await this.#projector.lead(signal);
    };
    return termAfterTerm(lead, {
      timer: this.options.timer,
      signal: this.#stop.signal,
      applied: () => this.#events,
    });
  }
}

interface Terms {
  readonly timer: Timer;
  readonly signal: AbortSignal;
  /** Events of all terms together. */
  readonly applied: () => number;
}

/** Runs terms until it is stopped or fails too often. */
async function termAfterTerm(
  lead: (signal: AbortSignal) => Promise<void>,
  { timer, signal, applied }: Terms,
): Promise<void> {
  const isOver = (): boolean => signal.aborted;
  let [failures, before] = [0, 0];
  while (!isOver()) {
    try {
      await lead(signal);
      if (!isOver()) await timer.sleep(200, signal);
    } catch (error) {
      if (isOver()) return;
      failures = applied() > before ? 1 : failures + 1;
      before = applied();
      const isPassing = error instanceof DependencyUnavailable && !isDiskFull(error);
      if (!isPassing || failures > maxFailures) throw error;
      await timer.sleep(Math.min(100 * 2 ** failures, longestPauseMs), signal);
    }
  }
}

export interface FillOptions extends Omit<FollowingOptions, 'upTo' | 'clock'> {
  readonly upTo: Position;
  /** Ends it early; the next call continues from there. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (position: Position, events: number) => void;
}

/** Timeout of a statement that reads all receipts. */
const longestMs = 3_600_000;

/**
 * Fills a set that was made for filling (`createViews`) up to the position, in large batches and without the indexes
 * that only readers need, and adds those at the end.
 */
export async function fillViews(options: FillOptions): Promise<void> {
  const { database, schema, signal } = options;
  await filled(options);
  if (signal?.aborted === true) return;
  await completeViews(database, schema);
  const views = database.beside({ searchPath: [schema], statementTimeoutMs: longestMs });
  try {
    await noteReceiptConflicts(views);
  } finally {
    await views.close();
  }
}

async function filled(options: FillOptions): Promise<void> {
  const { database, store, timer, schema, holder, tells, upTo, onProgress } = options;
  const views = database.beside({
    searchPath: [schema],
    statementTimeoutMs: 60_000,
    isPipelined: true,
    poolSize: 4,
  });
  let events = 0;
  const filler = new Filler({
    store,
    timer,
    views: new SqlFilling(views, { schema, tells }),
    lease: new Lease(views, { name: projectorLease(schema), holder }),
    onApplied: (count, position) => {
      events += count;
      onProgress?.(position, events);
    },
  });
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, ...(options.signal ? [options.signal] : [])]);
  const fill = async (): Promise<void> => {
    if ((await filler.fill(upTo, signal)) === 'done') over.abort();
  };
  try {
    await termAfterTerm(fill, { timer, signal, applied: () => events });
  } finally {
    await views.close();
  }
}
