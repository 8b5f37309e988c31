import { type DrillFindings } from '#domain/drills';
import { hex, type SealedHead, toSize } from '#domain/audit';
import { type EventStore, holdsEvent } from '#domain/event-sourcing';
import { proverOf, readHeads, RecordedTiles, TilesDamaged } from '#adapters/audit';
import { type Database } from '#infra/postgres';

/** Compares the copy's trees with the newest head that they reach (AUD-12, AUD-14). */
export async function checkSeals(
  copy: Database,
  store: EventStore,
): Promise<DrillFindings['seals']> {
  const tiles = new RecordedTiles(copy);
  const { events, postings, last } = await tiles.state();
  const reached = (await readHeads(store)).filter(
    ({ head }) => toSize(head.historySize) <= events && toSize(head.treeSize) <= postings,
  );
  const heads = reached.length;
  if (last && !(await holdsEvent(store, last)))
    return { heads, fault: 'the log does not hold the event up to which the copy’s trees go' };
  const newest = reached.at(-1);
  return { heads, fault: newest && (await faultOf(tiles, newest)) };
}

async function faultOf(tiles: RecordedTiles, { head }: SealedHead): Promise<string | undefined> {
  try {
    for (const [tree, size, root] of [
      ['history', head.historySize, head.historyRoot],
      ['postings', head.treeSize, head.root],
    ] as const) {
      if (hex(await proverOf(tiles, tree).root(toSize(size))) !== root)
        return `the copy’s tree of ${tree} has another root than the head of ${head.date}`;
    }
    return undefined;
  } catch (error) {
    if (error instanceof TilesDamaged) return error.message;
    throw error;
  }
}
