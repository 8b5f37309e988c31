import { type EventStore, type Position } from '#domain/event-sourcing';
import { type Clock, type Timer } from '#domain/kernel';
import { type Database, Lease, type Queryable } from '#infra/postgres';
import { standingOf } from './sets.js';
import { ReplayRefused } from './refusals.js';

/** The progress of a set. */
export interface ReplayProgress {
  readonly doing: 'building' | 'comparing';
  readonly position: Position;
  readonly target: Position;
  /** The number of events applied by this process. */
  readonly events: number;
  /** The table that is being compared. */
  readonly table?: string;
}

export interface ReplayOptions {
  /** The pool of the process; a replay opens another pool. */
  readonly database: Database;
  readonly store: EventStore;
  readonly clock: Clock;
  readonly timer: Timer;
  /** The schema of the serving set. */
  readonly serving: string;
  /** The operator who requests it. */
  readonly by: string;
  /** The id of this process, different at each start. */
  readonly holder: string;
  readonly onProgress?: (progress: ReplayProgress) => void;
}

const leaseMs = 5000;

const renewEveryMs = 1500;

/** A replay that holds its lease, with its own connections. */
export interface Work {
  readonly options: ReplayOptions;
  /** A pool of its own. */
  readonly database: Database;
  readonly lease: Lease;
}

/** Runs the work while no other process replays this set. @throws ReplayRefused */
export async function underLease<T>(
  options: ReplayOptions,
  run: (work: Work) => Promise<T>,
  // A killed replay holds its lease for this long.
  patienceMs = leaseMs + 1000,
): Promise<T> {
  const { serving, holder, timer } = options;
  const database = options.database.withSessions({ poolSize: 4, isPipelined: false });
  const lease = new Lease(database, { name: leaseOf(serving), holder, durationMs: leaseMs });
  const over = new AbortController();
  let renewing = Promise.resolve();
  try {
    for (const endsAt = performance.now() + patienceMs; ;) {
      if ((await lease.tryAcquire()) !== undefined) break;
      if (performance.now() >= endsAt)
        throw new ReplayRefused(
          `another replay of ${serving} is under way: wait until it has ended`,
        );
      await timer.sleep(500);
    }
    renewing = (async () => {
      while (!over.signal.aborted) {
        // The swap checks the fence, so it notices a lease that could not be renewed.
        await lease.renew().catch(() => undefined);
        await timer.sleep(renewEveryMs, over.signal);
      }
    })();
    const work = { options, database, lease };
    // An earlier swap may have been killed before it settled.
    await parseAgain(work);
    return await run(work);
  } finally {
    over.abort();
    await renewing;
    await lease.release().catch(() => undefined);
    await database.close();
  }
}

export function leaseOf(serving: string): string {
  return `replay:${serving}`;
}

/** @returns its position */
export async function requireServing({ options: { serving }, database }: Work): Promise<Position> {
  const standing = await standingOf(database, serving);
  if (!standing) throw new ReplayRefused(`there is no set of views ${serving}: start a projector`);
  if (!standing.isBuilt)
    throw new ReplayRefused(`${serving} is being built by its projector: wait until it serves`);
  return standing.position;
}

export const servingPosition = ({ options: { serving }, database }: Work): Promise<Position> =>
  positionIn(database, serving);

export async function positionIn(database: Queryable, schema: string): Promise<Position> {
  return (await standingOf(database, schema))?.position ?? 0n;
}

export async function parseAgain({ options: { serving }, database }: Work): Promise<void> {
  const name = `${serving}_settled`;
  await database.transaction(async (transaction) => {
    await transaction.query(`create schema ${name}`);
    await transaction.query(`drop schema ${name}`);
  });
}
