import { type Position } from '#domain/event-sourcing';
import { createViews } from '#views/view-set';
import { fillViews, Following } from './following.js';
import { beginReplay, noteDropped } from './records.js';
import { standingOf } from './sets.js';
import { servingPosition, type Work } from './replay-work.js';

/** The interval at which progress is checked. */
export const trackEveryMs = 100;

/** Creates the building set, or finds the one that an interrupted call has left. @returns the replay's number */
export async function beginBuilding(
  { options: { serving, by }, database }: Work,
  schema: string,
  kind: 'first' | 'replay',
): Promise<bigint> {
  if (!(await standingOf(database, schema))) await noteDropped(database, serving);
  await createViews(database, schema, true);
  return beginReplay(database, { schema: serving, kind, by, fromPosition: 0n });
}

/** Fills the set, which may be far behind. */
export async function fillSet(
  { options, database }: Work,
  schema: string,
  upTo: Position,
  signal?: AbortSignal,
): Promise<void> {
  const { store, timer, holder, serving, onProgress } = options;
  const tells = (await standingOf(database, serving))?.isBuilt === false;
  await fillViews({
    database,
    store,
    timer,
    schema,
    holder,
    tells,
    upTo,
    ...(signal && { signal }),
    onProgress: (position, events) =>
      onProgress?.({ doing: 'building', position, target: upTo, events }),
  });
}

/** Runs a projector for the set in this process while the work lasts. It advances only to the given bound. */
export async function withFollowing<T>(
  { options, database }: Work,
  schema: string,
  run: (set: Following) => Promise<T>,
): Promise<T> {
  const { store, clock, timer, holder, serving } = options;
  const [own, at] = [await standingOf(database, schema), await standingOf(database, serving)];
  const shared = { database, store, clock, timer, schema, holder };
  const set = new Following({
    ...shared,
    // The serving set owes the webhooks.
    tells: at?.isBuilt === false,
    upTo: own?.position ?? 0n,
  });
  try {
    return await run(set);
  } finally {
    await set.stop();
  }
}

/** Advances the set until it reaches the serving one. */
export async function catchUp(work: Work, set: Following): Promise<void> {
  const { timer, onProgress } = work.options;
  for (;;) {
    const target = await servingPosition(work);
    const position = await set.bound(target);
    if (position >= target) return;
    onProgress?.({ doing: 'building', position, target, events: set.events });
    await timer.sleep(trackEveryMs);
  }
}
