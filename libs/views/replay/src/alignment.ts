import { type Position } from '#domain/event-sourcing';
import { DependencyUnavailable } from '#domain/kernel';
import { type Queryable } from '#infra/postgres';
import { compareSets, type Comparison } from './compare.js';
import { type Following } from './following.js';
import { holdStill } from './sets.js';
import { catchUp } from './building.js';
import { ReplayRefused } from './refusals.js';
import { positionIn, type Work } from './replay-work.js';

/** The serving projector waits no longer than this. */
const alignWithinMs = 1500;

const maxAlignments = 40;

/** The comparison reads whole tables, which may have a hundred million rows. */
const compareTimeoutMs = 24 * 3_600_000;

/** The set did not reach the serving set's position while that one was held still. */
class FallenBehind extends Error {}

/**
 * Does the work while both sets are at one position. The serving set does not advance before the transaction ends.
 * @throws ReplayRefused if the set does not get there in time
 */
export async function whileAligned<T>(
  work: Work,
  set: Following,
  run: (transaction: Queryable, at: Position) => Promise<T>,
): Promise<T> {
  const { serving } = work.options;
  for (let attempt = 1; attempt <= maxAlignments; attempt += 1) {
    await catchUp(work, set);
    try {
      return await work.database.transaction(async (transaction) => {
        await holdStill(transaction, serving);
        const at = await positionIn(transaction, serving);
        if (!(await set.reach(at, alignWithinMs))) throw new FallenBehind();
        return run(transaction, at);
      });
    } catch (error) {
      // A set that was stopped for the swap is not aligned again, whatever the outcome of the swap.
      if (set.isStopped) throw error;
      // A batch of the serving projector may have taken longer than the wait for it.
      if (!(error instanceof FallenBehind || error instanceof DependencyUnavailable)) throw error;
      if (attempt === maxAlignments && error instanceof DependencyUnavailable) throw error;
    }
  }
  throw new ReplayRefused(
    'the set that is built does not keep up with the serving one: try again when there is less load',
  );
}

/** Compares both sets as of one position, in one snapshot, while both continue. */
export async function compareAligned(
  work: Work,
  set: Following,
  schema: string,
  maxNamed: number,
): Promise<{ readonly position: Position; readonly comparison: Comparison }> {
  const { options, database } = work;
  const { serving, onProgress } = options;
  return database.transaction(
    async (snapshot) => {
      // This statement takes no snapshot yet.
      await snapshot.query(`set local idle_in_transaction_session_timeout = '120s'`);
      const position = await whileAligned(work, set, async (_transaction, at) => {
        await requireSame(snapshot, [serving, schema], at);
        return at;
      });
      const onTable = (table: string): void =>
        onProgress?.({ doing: 'comparing', position, target: position, events: 0, table });
      const sets = { serving, other: schema };
      const comparison = await compareSets(snapshot, sets, { maxNamed, onTable });
      return { position, comparison };
    },
    { isolation: 'repeatable read', readOnly: true, statementTimeoutMs: compareTimeoutMs },
  );
}

/** Must be the snapshot's first statement. */
async function requireSame(
  snapshot: Queryable,
  schemas: readonly string[],
  at: Position,
): Promise<void> {
  const [row] = await snapshot.query<{ positions: bigint[] }>(
    `select array[${schemas.map((schema) => `(select position from ${schema}.checkpoint)`).join(', ')}] as positions`,
  );
  if (row?.positions.some((position) => position !== at))
    throw new TypeError(`sets of views stand at ${row.positions.join(' and ')}, not at ${at}`);
}
