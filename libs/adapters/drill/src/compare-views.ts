import { type ViewTable } from '#domain/drills';
import { type EventStore, type Position } from '#domain/event-sourcing';
import { type Clock, type Timer } from '#domain/kernel';
import { plainIdentifier, type Queryable } from '#infra/postgres';
import { fillViews, Following, sumsOfSet } from '#views/replay';
import { createViews } from '#views/view-set';
import { onSnapshot, type Pair } from './compare-records.js';
import { DrillRefused } from './drill-refused.js';

export interface ViewsOptions {
  readonly store: EventStore;
  readonly clock: Clock;
  readonly timer: Timer;
  /** The schema of the serving set. */
  readonly schema: string;
  /** The schema in the copy in which the other set is built. */
  readonly building: string;
  /** The id of this process, different at each start. */
  readonly holder: string;
  readonly signal: AbortSignal;
  readonly onPosition: (position: Position, target: Position) => void;
  readonly onTable: (table: string) => void;
}

/** Once the set is built, it lags by a batch or two. The serving snapshot stays open no longer than this. */
const reachWithinMs = 300_000;

const standing = (schema: string): string =>
  `select position, fresh_at is not null as built, unlinked from ${schema}.checkpoint`;

interface Standing {
  readonly position: bigint;
  readonly built: boolean;
  readonly unlinked: boolean;
}

/** Builds a set of views in the copy from the log alone and compares it with the serving set at the same position. */
export async function compareViews(
  { serving, copy }: Pair,
  options: ViewsOptions,
): Promise<{ readonly position: Position; readonly views: readonly ViewTable[] }> {
  const { schema, building, signal } = options;
  const [before] = await serving.query<Standing>(standing(plainIdentifier(schema)));
  if (before?.built !== true)
    throw new DrillRefused('the serving views are being built: run the drill once they are');
  await createViews(copy, building, true);
  const { store, clock, timer, holder } = options;
  const shared = { database: copy, store, timer, schema: building, holder, tells: false };
  await fillViews({
    ...shared,
    upTo: before.position,
    signal,
    onProgress: (position) => {
      options.onPosition(position, before.position);
    },
  });
  signal.throwIfAborted();
  const set = new Following({ ...shared, clock, upTo: before.position });
  try {
    return await onSnapshot(serving, (snapshot) =>
      comparedAt(snapshot, { serving, copy }, set, options),
    );
  } finally {
    await set.stop();
  }
}

async function comparedAt(
  snapshot: Queryable,
  { copy }: Pair,
  set: Following,
  { schema, building, onTable }: ViewsOptions,
): Promise<{ readonly position: Position; readonly views: readonly ViewTable[] }> {
  await snapshot.query(`set local idle_in_transaction_session_timeout = '24h'`);
  const [at] = await snapshot.query<Standing>(standing(plainIdentifier(schema)));
  if (!at) throw new TypeError('the serving views have no checkpoint row');
  if (!(await set.reach(at.position, reachWithinMs)))
    throw new DrillRefused(
      'the views of the copy did not reach the serving ones: run the drill again',
    );
  const [own] = await copy.query<Standing>(standing(plainIdentifier(building)));
  const isUnlinked = at.unlinked || own?.unlinked === true;
  const theirs = await sumsOfSet(snapshot, schema, { isUnlinked, onTable });
  const ours = await onSnapshot(copy, (other) =>
    sumsOfSet(other, building, { isUnlinked, onTable }),
  );
  const built = new Map(ours.map((sum) => [sum.table, sum]));
  const views = theirs.map(({ table, rows, checksum }) => {
    const other = built.get(table);
    return { table, isSame: other?.rows === rows && other.checksum === checksum };
  });
  return { position: at.position, views };
}
