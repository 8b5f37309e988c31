import { DependencyUnavailable } from '#domain/kernel';
import { forgetKept, noteDropped } from './records.js';
import { dropSet, listViewSets } from './sets.js';
import { ReplayRefused } from './refusals.js';
import { underLease, type ReplayOptions } from './replay-work.js';

/** Deletes a set that is being built, a kept set, or one of another release that no process maintains. */
export function drop(options: ReplayOptions, schema: string): Promise<void> {
  return underLease(options, async ({ database }) => {
    const { serving } = options;
    const sets = await listViewSets(database, serving);
    const found = sets.find((set) => set.schema === schema);
    if (!found) throw new ReplayRefused(`no set of views is called ${schema}: see replay list`);
    if (found.state === 'serving') throw new ReplayRefused(`${schema} serves, and is not dropped`);
    if (found.state === 'another release' && found.isLed)
      throw new ReplayRefused(`a projector of another release keeps ${schema}: end that one first`);
    await dropSet(database, schema).catch((error: unknown) => {
      if (!(error instanceof DependencyUnavailable)) throw error;
      throw new ReplayRefused(`somebody reads ${schema} just now: try again in a moment`);
    });
    if (found.state === 'building') await noteDropped(database, serving);
    else await forgetKept(database, schema);
  });
}
