import { type Position } from '#domain/event-sourcing';
import { DependencyUnavailable } from '#domain/kernel';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Queryable } from '#infra/postgres';
import { readCheckpoint } from './checkpoint.js';

/** The columns that every query selects from the checkpoint besides its own. */
export interface Servability {
  readonly fresh_at: Date | null;
}

/** The columns that a query for a merchant also selects: see `ownServability`. */
export interface OwnServability extends Servability {
  /** By the database's clock, which also wrote `fresh_at`: a process's own clock may be wrong. */
  readonly age_ms: number | null;
  /** True if an event of the merchant is not applied. */
  readonly is_quarantined: boolean;
}

/**
 * SQL of the columns of `OwnServability`, from a checkpoint with the alias c.
 * @param whose SQL of the merchant and of the mode
 */
export function ownServability(whose: {
  readonly merchant: string;
  readonly mode: string;
}): string {
  return `c.fresh_at, (extract(epoch from records.now_() - c.fresh_at) * 1000)::float8 as age_ms,
    c.quarantined > 0 and exists (
      select from quarantines q where q.merchant_id = ${whose.merchant} and q.scope = ${whose.mode}
    ) as is_quarantined`;
}

/** The merchant's views are quarantined in this mode: an event cannot be applied, and no later event is shown. */
class MerchantQuarantined extends DependencyUnavailable {
  override readonly name = 'MerchantQuarantined';
  override readonly code = 'merchant_quarantined';
  constructor() {
    super('read model', 'an event of this merchant cannot be applied (projection quarantine list)');
  }
}

/**
 * Checks that the views may answer: they must have contained the whole log once. An empty answer from views that are
 * being built would be wrong.
 * @throws DependencyUnavailable
 */
export function requireServable<Row extends Servability>(row: Row | undefined): Row {
  if (!row?.fresh_at) throw new DependencyUnavailable('read model', 'its first build is under way');
  return row;
}

/**
 * Checks that the views may answer a merchant: they have contained the whole log, not longer ago than the bound, and
 * the merchant is not quarantined.
 * @throws DependencyUnavailable, MerchantQuarantined
 */
export function requireOwnServable<Row extends OwnServability>(
  found: Row | undefined,
  { maxAgeMs }: ReadBound,
): Row {
  const row = requireServable(found);
  if (row.age_ms === null || row.age_ms > maxAgeMs)
    throw new DependencyUnavailable('read model', 'it is older than READ_MODEL_MAX_AGE');
  requireNotQuarantined(row);
  return row;
}

/** @throws MerchantQuarantined */
export function requireNotQuarantined({
  is_quarantined,
}: Pick<OwnServability, 'is_quarantined'>): void {
  if (is_quarantined) throw new MerchantQuarantined();
}

/** The views do not contain the log up to the requested position; they may soon. */
export class NotReached extends DependencyUnavailable {
  override readonly name = 'NotReached';
  constructor() {
    super('read model', 'it has not reached the position asked for');
  }
}

/** @throws NotReached if the views do not contain the log up to the position */
export function requireReached(checkpoint: Position, position: Position): void {
  if (checkpoint < position) throw new NotReached();
}

/** The answer of /health/ready contains this name. */
class ViewsNotBuilt extends Error {
  override readonly name = 'ViewsNotBuilt';
}

const selectBuilt = 'select fresh_at from checkpoint';

/**
 * Checks that the views that a process reads have ever contained the whole log: until then, other processes should get
 * the requests. It asks each database until the answer is yes, and never again: each answer judges how old the views
 * may be. An unreachable database does not fail the check, since not every request needs it.
 * @returns a check of readiness; it throws ViewsNotBuilt
 */
export function builtViews(databases: readonly Queryable[]): () => Promise<undefined> {
  const waiting = new Set(databases);
  return async () => {
    for (const database of waiting) {
      const rows = await database.query<Servability>(selectBuilt).catch((error: unknown) => {
        if (error instanceof DependencyUnavailable) return undefined;
        throw new ViewsNotBuilt();
      });
      if (rows === undefined) continue;
      if (!rows[0]?.fresh_at) throw new ViewsNotBuilt();
      waiting.delete(database);
    }
    return undefined;
  };
}

/** The maximum age of views that answer a merchant. */
export interface ReadBound {
  /** READ_MODEL_MAX_AGE. */
  readonly maxAgeMs: number;
}

interface Waiting {
  readonly position: bigint;
  /** By the monotonic clock. */
  readonly untilMs: number;
  readonly resolve: (reached: boolean) => void;
  readonly reject: (error: unknown) => void;
}

const pollEveryMs = 20;

/**
 * Waits until the views contain the log up to a position. One poll of the checkpoint serves all callers that wait, and
 * polling stops when none waits.
 */
export class ViewProgress {
  /** The checkpoint as last seen. It only rises: a rebuilt set is swapped in once it has caught up. */
  #known = 0n;
  readonly #waiting = new Set<Waiting>();
  #polling = false;

  constructor(private readonly database: Queryable) {}

  /** True if the views were seen to contain the log up to the position. */
  holds(position: bigint): boolean {
    return position <= this.#known;
  }

  /**
   * @returns false if the views do not get there in time
   * @throws DependencyUnavailable
   */
  reach(position: bigint, withinMs: number): Promise<boolean> {
    if (this.holds(position)) return Promise.resolve(true);
    return new Promise((resolve, reject) => {
      const untilMs = performance.now() + withinMs;
      this.#waiting.add({ position, untilMs, resolve, reject });
      if (!this.#polling) void this.#poll();
    });
  }

  async #poll(): Promise<void> {
    this.#polling = true;
    try {
      while (this.#waiting.size > 0) {
        const { position } = await readCheckpoint(this.database);
        if (position > this.#known) this.#known = position;
        this.#settle();
        if (this.#waiting.size > 0) await sleep(pollEveryMs);
      }
    } catch (error) {
      for (const waiting of this.#waiting) waiting.reject(error);
      this.#waiting.clear();
    } finally {
      this.#polling = false;
    }
  }

  #settle(): void {
    const now = performance.now();
    for (const waiting of this.#waiting) {
      const reached = this.holds(waiting.position);
      if (!reached && now < waiting.untilMs) continue;
      this.#waiting.delete(waiting);
      waiting.resolve(reached);
    }
  }
}
