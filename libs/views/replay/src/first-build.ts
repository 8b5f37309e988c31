import { type Position } from '#domain/event-sourcing';
import { projectedPrefixes } from '#views/view-set';
import { forgetKept } from './records.js';
import { buildingSchema, dropSet, holdStill, keptSchema, standingOf } from './sets.js';
import { beginBuilding, fillSet, withFollowing, trackEveryMs } from './building.js';
import { ReplayRefused } from './refusals.js';
import { underLease, type ReplayOptions, type Work } from './replay-work.js';
import { settle, swap, confirmedSwap } from './swap.js';

/** The outcome of building the first set of a shape. */
export type FirstBuild =
  /** `tidied`: resolves when the empty set is removed, unless a process is reading it. */
  | { readonly kind: 'built'; readonly tidied: Promise<void> }
  /** The set contains the whole log, or the log is empty: a projector can follow. */
  | { readonly kind: 'nothing to build' }
  /** Another process builds it, died within its lease, or this one was stopped: call again. */
  | { readonly kind: 'not built yet' };

/**
 * Builds the first set of a new shape next to the empty set that the release's processes read, and swaps them once it
 * contains the whole log.
 */
export async function buildFirst(options: ReplayOptions, signal: AbortSignal): Promise<FirstBuild> {
  const { serving, database, store } = options;
  const isOver = async () => (await standingOf(database, serving))?.isBuilt ?? false;
  if (await isOver()) return { kind: 'nothing to build' };
  // A projector can follow an empty log at once.
  const target = await store.head(projectedPrefixes);
  if (target === 0n) return { kind: 'nothing to build' };
  const build = async (work: Work) =>
    (await isOver()) ? undefined : { keptAs: await buildAndSwap(work, target, signal) };
  const done = await underLease(options, build, 0).catch((error: unknown) => {
    if (error instanceof ReplayRefused) return { keptAs: undefined };
    throw error;
  });
  if (!done) return { kind: 'nothing to build' };
  const { keptAs } = done;
  if (keptAs === undefined) return { kind: 'not built yet' };
  return { kind: 'built', tidied: tidy(options, keptAs) };
}

/** @returns the schema that the empty set has now; undefined if it was stopped */
async function buildAndSwap(
  work: Work,
  target: Position,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { database, options } = work;
  const { serving, timer, onProgress } = options;
  const schema = buildingSchema(serving);
  const id = await beginBuilding(work, schema, 'first');
  await fillSet(work, schema, target, signal);
  if (signal.aborted) return undefined;
  const keptAs = keptSchema(serving, id);
  return withFollowing(work, schema, async (set) => {
    while (!(await standingOf(database, schema))?.isBuilt) {
      const position = await set.bound(undefined);
      onProgress?.({ doing: 'building', position, target, events: set.events });
      if (signal.aborted) return undefined;
      await timer.sleep(trackEveryMs, signal);
    }
    await confirmedSwap(work, async (begun) => {
      begun(id);
      await database.transaction(async (transaction) => {
        await holdStill(transaction, serving);
        // The building set has owed its own webhooks, since the set that it replaces is empty.
        await swap(work, transaction, { id, from: schema, keptAs, set, owedTo: new Map() });
      });
    });
    return keptAs;
  });
}

/** Drops the set that was never filled: no rollback needs it. */
async function tidy(options: ReplayOptions, keptAs: string): Promise<void> {
  await underLease(options, async (work) => {
    await settle(work);
    await dropSet(work.database, keptAs);
    await forgetKept(work.database, keptAs);
  }).catch(() => undefined);
}
