import { type Position } from '#domain/event-sourcing';
import { type Comparison } from './compare.js';
import { noteCaughtUp, noteCompared } from './records.js';
import { buildingSchema, keptSchema } from './sets.js';
import { whileAligned, compareAligned } from './alignment.js';
import { beginBuilding, catchUp, fillSet, withFollowing } from './building.js';
import { ReplayRefused } from './refusals.js';
import { underLease, positionIn, type ReplayOptions, requireServing } from './replay-work.js';
import { oweBeforeSwap, retryWhileAway, settle, swap, confirmedSwap } from './swap.js';

/*
 * A replay builds a second set of views from the log and puts it in the serving set's place.
 * - serving set: the one whose schema the search_path names.
 * - building set: the one that is filled from the log; an interrupted replay continues it.
 * - kept set: the one that served before a swap; a rollback lets it serve again.
 * - swap: both sets stand at one position, and their schemas change names in one transaction.
 */

export interface ReplayReport {
  readonly id: bigint;
  /** The position at which the two sets were compared. */
  readonly position: Position;
  readonly comparison: Comparison;
  /** True if the new set serves now. */
  readonly isSwapped: boolean;
  /** The schema of the set that served until then. */
  readonly keptAs?: string;
}

/**
 * Builds a second set from the log, compares it with the serving one at one position, and swaps them if they are equal
 * or differences are accepted. It continues the set of an interrupted call.
 * @throws ReplayRefused, SwapUnknown, DependencyUnavailable
 */
export function replay(
  options: ReplayOptions,
  how: { readonly maxNamed: number; readonly acceptsDifferences: boolean },
): Promise<ReplayReport> {
  return underLease(options, async (work) => {
    const { database } = work;
    const { serving } = options;
    const standing = await requireServing(work);
    const schema = buildingSchema(serving);
    if ((await positionIn(database, schema)) > standing)
      throw new ReplayRefused(
        `${schema} holds more of the log than ${serving} does: drop it with replay drop ${schema}, and replay again`,
      );
    const id = await beginBuilding(work, schema, 'replay');
    await fillSet(work, schema, standing);
    return withFollowing(work, schema, async (set) => {
      await catchUp(work, set);
      await noteCaughtUp(database, id);
      const { position, comparison } = await compareAligned(work, set, schema, how.maxNamed);
      await noteCompared(database, id, position, comparison);
      if (comparison.differences > 0 && !how.acceptsDifferences)
        return { id, position, comparison, isSwapped: false };
      const keptAs = keptSchema(serving, id);
      const owedTo = await oweBeforeSwap(work, schema);
      await confirmedSwap(work, async (begun) => {
        begun(id);
        await whileAligned(work, set, (transaction, at) =>
          swap(work, transaction, { id, at, from: schema, keptAs, set, owedTo }),
        );
      });
      await retryWhileAway(work, () => settle(work));
      return { id, position, comparison, isSwapped: true, keptAs };
    });
  });
}
