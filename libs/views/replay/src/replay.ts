import { type EventStore, type Position } from '#domain/event-sourcing';
import { type Clock, DependencyUnavailable, type Timer } from '#domain/kernel';
import { type Database, holdsFence, Lease, type Queryable } from '#infra/postgres';
import { credentialsChannel } from '#views/merchants';
import { v3RetirementChannel } from '#views/v3-usage';
import { createViews, projectedPrefixes } from '#views/view-set';
import { oweQuarantined } from '#views/webhook-outbox';
import { type Comparison, compareSets } from './compare.js';
import { fillViews, Following } from './following.js';
import {
  beginReplay,
  forgetKept,
  noteCaughtUp,
  noteCompared,
  noteDropped,
  noteSwapped,
  swapOf,
} from './records.js';
import {
  buildingSchema,
  dropSet,
  holdStill,
  keptSchema,
  listViewSets,
  raiseFence,
  standingOf,
} from './sets.js';

/** Nothing was changed; the message says why, in a sentence. */
export class ReplayRefused extends Error {
  override readonly name = 'ReplayRefused';
}

/** Postgres went away during the swap and did not come back in time. */
export class SwapUnknown extends Error {
  override readonly name = 'SwapUnknown';
  constructor(options: ErrorOptions) {
    super(
      'Postgres did not answer whether the sets were swapped: replay list tells it, once Postgres answers',
      options,
    );
  }
}

/** How far a set has come. */
export interface ReplayProgress {
  readonly doing: 'building' | 'comparing';
  readonly position: Position;
  readonly target: Position;
  /** Applied by this process. */
  readonly events: number;
  /** The table that is compared. */
  readonly table?: string;
}

export interface ReplayOptions {
  /** As the process has it; a replay opens connections of its own. */
  readonly database: Database;
  readonly store: EventStore;
  readonly clock: Clock;
  readonly timer: Timer;
  /** The schema of the set that serves. */
  readonly serving: string;
  /** Who asks for it. */
  readonly by: string;
  /** This process, different at each start. */
  readonly holder: string;
  readonly onProgress?: (progress: ReplayProgress) => void;
}

export interface ReplayReport {
  readonly id: bigint;
  /** At which the two sets were compared. */
  readonly position: Position;
  readonly comparison: Comparison;
  /** Whether the set that was built serves now. */
  readonly isSwapped: boolean;
  /** Where the set lies that served until then. */
  readonly keptAs?: string;
}

const leaseMs = 5000;
const renewEveryMs = 1500;
const trackEveryMs = 100;
/** The serving projector waits for as long, and no longer. */
const alignWithinMs = 1500;
const maxAlignments = 40;
/** Tries, a second apart, of what is left to do when the sets may be swapped. */
const maxQuestions = 30;
const questionEveryMs = 1000;
/** Tables of a hundred million rows are read whole. */
const compareTimeoutMs = 24 * 3_600_000;

/** What a replay does on its connections while it alone may. */
interface Work {
  readonly options: ReplayOptions;
  /** A pool of its own. */
  readonly database: Database;
  readonly lease: Lease;
}

/**
 * Builds the serving set's twin from the log, compares the two at one position, and swaps them where they are equal or
 * differences are accepted. What an earlier call had built is gone on with.
 * @throws ReplayRefused, SwapUnknown, DependencyUnavailable
 */
export function replay(
  options: ReplayOptions,
  how: { readonly maxNamed: number; readonly acceptsDifferences: boolean },
): Promise<ReplayReport> {
  return alone(options, async (work) => {
    const { database } = work;
    const { serving } = options;
    const standing = await requireServing(work);
    const schema = buildingSchema(serving);
    if ((await positionIn(database, schema)) > standing)
      throw new ReplayRefused(
        `${schema} holds more of the log than ${serving} does: drop it with replay drop ${schema}, and replay again`,
      );
    const id = await beginBuilding(work, schema, 'replay');
    await filled(work, schema, standing);
    return following(work, schema, async (set) => {
      await caughtUp(work, set);
      await noteCaughtUp(database, id);
      const { position, comparison } = await compared(work, set, schema, how.maxNamed);
      await noteCompared(database, id, position, comparison);
      if (comparison.differences > 0 && !how.acceptsDifferences)
        return { id, position, comparison, isSwapped: false };
      const keptAs = keptSchema(serving, id);
      const owedTo = await owed(work, schema);
      await swapped(work, async (begun) => {
        begun(id);
        await aligned(work, set, (transaction, at) =>
          swap(work, transaction, { id, at, from: schema, keptAs, set, owedTo }),
        );
      });
      await persistently(work, () => settle(work));
      return { id, position, comparison, isSwapped: true, keptAs };
    });
  });
}

/**
 * Lets a kept set serve again. It stood still since its swap, so it is brought forward first.
 * @param how `schema`: the kept set; the one that was kept last unless given. `acceptsStandstill`: although merchants stand
 *   still in it that go on in the serving one
 * @throws ReplayRefused, SwapUnknown, DependencyUnavailable
 */
export function rollback(
  options: ReplayOptions,
  how: { readonly schema?: string | undefined; readonly acceptsStandstill?: boolean } = {},
): Promise<{ readonly schema: string; readonly position: Position; readonly keptAs: string }> {
  return alone(options, async (work) => {
    const { database } = work;
    const { serving, by } = options;
    await requireServing(work);
    const kept = await keptSet(work, how.schema);
    const requireNoStandstill = async (within: Queryable) => {
      if (how.acceptsStandstill !== true) await requireAllGoOn(within, { serving, kept });
    };
    if (await standingOf(database, buildingSchema(serving)))
      throw new ReplayRefused(
        `a replay is half done: finish it with replay, or give it up with replay drop ${buildingSchema(serving)}`,
      );
    const from = await positionIn(database, kept);
    return following(work, kept, async (set) => {
      await caughtUp(work, set);
      await requireNoStandstill(database);
      const owedTo = await owed(work, kept);
      const done = await swapped(work, async (begun) => {
        await aligned(work, set, async (transaction, at) => {
          await requireNoStandstill(transaction);
          await noteDropped(transaction, serving);
          const begins = { schema: serving, kind: 'rollback', by, fromPosition: from } as const;
          const id = await beginReplay(transaction, begins);
          begun(id);
          const keptAs = keptSchema(serving, id);
          await forgetKept(transaction, kept);
          await swap(work, transaction, { id, at, from: kept, keptAs, set, owedTo });
        });
      });
      await persistently(work, () => settle(work));
      return { schema: kept, ...done };
    });
  });
}

/** Deletes a set that is being built, one that is kept, or one of another release that nobody keeps up to date. */
export function drop(options: ReplayOptions, schema: string): Promise<void> {
  return alone(options, async ({ database }) => {
    const { serving } = options;
    const sets = await listViewSets(database, serving);
    const found = sets.find((set) => set.schema === schema);
    if (!found) throw new ReplayRefused(`no set of views is called ${schema}: see replay list`);
    if (found.state === 'serving') throw new ReplayRefused(`${schema} serves, and is not dropped`);
    if (found.state === 'of another release' && found.isLed)
      throw new ReplayRefused(`a projector of another release keeps ${schema}: end that one first`);
    await dropSet(database, schema).catch((error: unknown) => {
      if (!(error instanceof DependencyUnavailable)) throw error;
      throw new ReplayRefused(`somebody reads ${schema} just now: try again in a moment`);
    });
    if (found.state === 'building') await noteDropped(database, serving);
    else await forgetKept(database, schema);
  });
}

/** What became of the first set of a shape. */
export type FirstBuild =
  /** `tidied`: nothing is left of the empty set, unless somebody reads it just then. */
  | { readonly kind: 'built'; readonly tidied: Promise<void> }
  /** The set holds all of the log, or the log is empty: it can be followed. */
  | { readonly kind: 'nothing to build' }
  /** Another process builds it, died at it within its lease, or this one was told to stop: ask again. */
  | { readonly kind: 'not built yet' };

/**
 * Builds the set of a release whose shape nobody has served yet, beside the empty one that its processes read, and puts
 * it in its place once it holds all of the log.
 */
export async function buildFirst(options: ReplayOptions, signal: AbortSignal): Promise<FirstBuild> {
  const { serving, database, store } = options;
  const isOver = async () => (await standingOf(database, serving))?.isBuilt ?? false;
  if (await isOver()) return { kind: 'nothing to build' };
  // An empty log is followed at once.
  const target = await store.head(projectedPrefixes);
  if (target === 0n) return { kind: 'nothing to build' };
  const build = async (work: Work) =>
    (await isOver()) ? undefined : { keptAs: await buildAndSwap(work, target, signal) };
  const done = await alone(options, build, 0).catch((error: unknown) => {
    if (error instanceof ReplayRefused) return { keptAs: undefined };
    throw error;
  });
  if (!done) return { kind: 'nothing to build' };
  const { keptAs } = done;
  if (keptAs === undefined) return { kind: 'not built yet' };
  return { kind: 'built', tidied: tidy(options, keptAs) };
}

/** @returns where the empty set lies now; undefined where it was told to stop */
async function buildAndSwap(
  work: Work,
  target: Position,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { database, options } = work;
  const { serving, timer, onProgress } = options;
  const schema = buildingSchema(serving);
  const id = await beginBuilding(work, schema, 'first');
  await filled(work, schema, target, signal);
  if (signal.aborted) return undefined;
  const keptAs = keptSchema(serving, id);
  return following(work, schema, async (set) => {
    while (!(await standingOf(database, schema))?.isBuilt) {
      const position = await set.bound(undefined);
      onProgress?.({ doing: 'building', position, target, events: set.events });
      if (signal.aborted) return undefined;
      await timer.sleep(trackEveryMs, signal);
    }
    await swapped(work, async (begun) => {
      begun(id);
      await database.transaction(async (transaction) => {
        await holdStill(transaction, serving);
        // The one that is built has told itself: what it replaces is empty.
        await swap(work, transaction, { id, from: schema, keptAs, set, owedTo: new Map() });
      });
    });
    return keptAs;
  });
}

/** The set that was never filled is nobody's to go back to. */
async function tidy(options: ReplayOptions, keptAs: string): Promise<void> {
  await alone(options, async (work) => {
    await settle(work);
    await dropSet(work.database, keptAs);
    await forgetKept(work.database, keptAs);
  }).catch(() => undefined);
}

/** Runs the work while no other process replays this set. @throws ReplayRefused */
async function alone<T>(
  options: ReplayOptions,
  run: (work: Work) => Promise<T>,
  // One that was killed holds its lease for as long.
  patienceMs = leaseMs + 1000,
): Promise<T> {
  const { serving, holder, timer } = options;
  const database = options.database.beside({ poolSize: 4, isPipelined: false });
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
        // What cannot be renewed is noticed by the swap, which names the fence.
        await lease.renew().catch(() => undefined);
        await timer.sleep(renewEveryMs, over.signal);
      }
    })();
    const work = { options, database, lease };
    // Who swapped before may have been killed before it settled.
    await parseAgain(work);
    return await run(work);
  } finally {
    over.abort();
    await renewing;
    await lease.release().catch(() => undefined);
    await database.close();
  }
}

function leaseOf(serving: string): string {
  return `replay:${serving}`;
}

/** @returns where it stands */
async function requireServing({ options: { serving }, database }: Work): Promise<Position> {
  const standing = await standingOf(database, serving);
  if (!standing) throw new ReplayRefused(`there is no set of views ${serving}: start a projector`);
  if (!standing.isBuilt)
    throw new ReplayRefused(`${serving} is being built by its projector: wait until it serves`);
  return standing.position;
}

async function keptSet({ options: { serving }, database }: Work, asked?: string): Promise<string> {
  const sets = await listViewSets(database, serving);
  const kept = sets.filter(({ state }) => state === 'kept');
  const numberOf = (schema: string): number => Number(schema.slice(serving.length + 6));
  const [newest] = kept.map(({ schema }) => schema).sort((a, b) => numberOf(b) - numberOf(a));
  if (newest === undefined)
    throw new ReplayRefused('no set of views is kept: there is nothing to go back to');
  if (asked === undefined) return newest;
  if (!kept.some(({ schema }) => schema === asked))
    throw new ReplayRefused(`${asked} is not a kept set of views: see replay list`);
  return asked;
}

/** At most so many merchants are named. */
const maxStandstills = 5;

/** @throws ReplayRefused where merchants stand still in the kept set that go on in the serving one */
async function requireAllGoOn(
  database: Queryable,
  { serving, kept }: { readonly serving: string; readonly kept: string },
): Promise<void> {
  const rows = await database.query<{ merchant: string }>(`
    select distinct k.merchant_id as merchant from ${kept}.quarantines k
    where not exists (select from ${serving}.quarantines s
      where s.merchant_id = k.merchant_id and s.scope in (k.scope, 'merchant'))
    order by merchant`);
  if (rows.length === 0) return;
  const named = rows.slice(0, maxStandstills).map(({ merchant }) => merchant);
  const more = rows.length > named.length ? ` and ${rows.length - named.length} more` : '';
  throw new ReplayRefused(
    `in ${kept} the views of merchant ${named.join(', ')}${more} stand still, whose reads would answer 503: roll back all the same with replay rollback --accept-standstill`,
  );
}

/** Makes the set that is to be built, or finds what an earlier call had made of it. @returns the replay's number */
async function beginBuilding(
  { options: { serving, by }, database }: Work,
  schema: string,
  kind: 'first' | 'replay',
): Promise<bigint> {
  if (!(await standingOf(database, schema))) await noteDropped(database, serving);
  await createViews(database, schema, true);
  return beginReplay(database, { schema: serving, kind, by, fromPosition: 0n });
}

/** Fills the set, which may be far behind. */
async function filled(
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

/** Has a set followed in this process while the work lasts. It goes no further until it is told to. */
async function following<T>(
  { options, database }: Work,
  schema: string,
  run: (set: Following) => Promise<T>,
): Promise<T> {
  const { store, clock, timer, holder, serving } = options;
  const [own, at] = [await standingOf(database, schema), await standingOf(database, serving)];
  const shared = { database, store, clock, timer, schema, holder };
  const set = new Following({
    ...shared,
    // The set that serves tells merchants.
    tells: at?.isBuilt === false,
    upTo: own?.position ?? 0n,
  });
  try {
    return await run(set);
  } finally {
    await set.stop();
  }
}

const servingPosition = ({ options: { serving }, database }: Work): Promise<Position> =>
  positionIn(database, serving);

async function positionIn(database: Queryable, schema: string): Promise<Position> {
  return (await standingOf(database, schema))?.position ?? 0n;
}

/** Lets the set follow the serving one until it stands where that does. */
async function caughtUp(work: Work, set: Following): Promise<void> {
  const { timer, onProgress } = work.options;
  for (;;) {
    const target = await servingPosition(work);
    const position = await set.bound(target);
    if (position >= target) return;
    onProgress?.({ doing: 'building', position, target, events: set.events });
    await timer.sleep(trackEveryMs);
  }
}

/** The set falls behind as long as the serving one stands still for it. */
class FallenBehind extends Error {}

/**
 * Does the work while both sets stand at one position, which the serving one does not leave before the transaction ends.
 * @throws ReplayRefused where the set never comes to stand there in time
 */
async function aligned<T>(
  work: Work,
  set: Following,
  run: (transaction: Queryable, at: Position) => Promise<T>,
): Promise<T> {
  const { serving } = work.options;
  for (let attempt = 1; attempt <= maxAlignments; attempt += 1) {
    await caughtUp(work, set);
    try {
      return await work.database.transaction(async (transaction) => {
        await holdStill(transaction, serving);
        const at = await positionIn(transaction, serving);
        if (!(await set.reach(at, alignWithinMs))) throw new FallenBehind();
        return run(transaction, at);
      });
    } catch (error) {
      // What was stopped for the swap comes to stand nowhere again, whatever became of the swap.
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

/** Both sets as of one position, in one snapshot, while both go on. */
async function compared(
  work: Work,
  set: Following,
  schema: string,
  maxNamed: number,
): Promise<{ readonly position: Position; readonly comparison: Comparison }> {
  const { options, database } = work;
  const { serving, onProgress } = options;
  return database.transaction(
    async (snapshot) => {
      // Takes no snapshot yet.
      await snapshot.query(`set local idle_in_transaction_session_timeout = '120s'`);
      const position = await aligned(work, set, async (_transaction, at) => {
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

/** The snapshot's first statement. */
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

interface Swap {
  readonly id: bigint;
  /** Where both sets stand; wherever the new one does, unless given. */
  readonly at?: Position;
  /** The set that is to serve. */
  readonly from: string;
  readonly keptAs: string;
  readonly set: Following;
  /** As `owed` gives it. */
  readonly owedTo: Map<string, bigint>;
}

/**
 * Puts most of what is owed from the set that is to serve into the records, before anything stands still for the swap,
 * which does the rest. What comes of no swap then is owed all the same, and waits for its merchant to go on.
 * @returns how far it came
 */
async function owed(
  { options: { serving }, database }: Work,
  from: string,
): Promise<Map<string, bigint>> {
  const owedTo = new Map<string, bigint>();
  await oweQuarantined(database, { serving, other: from }, owedTo);
  return owedTo;
}

/**
 * Swaps. Where Postgres goes away before it has said that the swap is done, it is asked once it answers.
 * @param run tells the replay's number before it commits
 * @throws SwapUnknown; DependencyUnavailable where nothing is swapped
 */
async function swapped(
  work: Work,
  run: (begun: (id: bigint) => void) => Promise<void>,
): Promise<{ readonly position: Position; readonly keptAs: string }> {
  const noted: { id?: bigint } = {};
  let failure: unknown;
  try {
    await run((id) => {
      noted.id = id;
    });
  } catch (error) {
    if (!(error instanceof DependencyUnavailable)) throw error;
    failure = error;
  }
  const { id } = noted;
  const done = id === undefined ? undefined : await persistently(work, () => swapNoted(work, id));
  if (!done) throw (failure as Error | undefined) ?? new TypeError('a swap left no record');
  return done;
}

/** What became of a swap, which may still be under way: its transaction holds the serving set still to its end. */
function swapNoted(
  { options: { serving }, database }: Work,
  id: bigint,
): ReturnType<typeof swapOf> {
  return database.transaction(async (transaction) => {
    await holdStill(transaction, serving);
    return swapOf(transaction, id);
  });
}

/** Once the sets may be swapped, what is left to do waits for Postgres. @throws SwapUnknown */
async function persistently<T>(
  { options: { timer } }: Work,
  question: () => Promise<T>,
): Promise<T> {
  for (let asked = 1; ; asked += 1)
    try {
      return await question();
    } catch (error) {
      if (!(error instanceof DependencyUnavailable)) throw error;
      if (asked === maxQuestions) throw new SwapUnknown({ cause: error });
      await timer.sleep(questionEveryMs);
    }
}

/**
 * Within a transaction in which the serving set is held still: from its commit on each statement, prepared ones too, is
 * about the other set. Renaming locks no table, so nobody who reads is waited for.
 */
async function swap(
  { options: { serving }, lease }: Work,
  transaction: Queryable,
  { id, at, from, keptAs, set, owedTo }: Swap,
): Promise<void> {
  if (lease.fence === undefined || !(await holdsFence(transaction, leaseOf(serving), lease.fence)))
    throw new ReplayRefused(
      'this replay was taken for dead, and another one began: nothing is swapped',
    );
  await set.stop();
  for (const schema of [from, serving]) await raiseFence(transaction, schema);
  const stands = await positionIn(transaction, from);
  if (at !== undefined && stands !== at)
    throw new ReplayRefused(`${from} moved while it was swapped: replay again`);
  await oweQuarantined(transaction, { serving, other: from }, owedTo);
  // Both hold the same, so the one is as fresh as the other.
  await transaction.query(`
    update ${from}.checkpoint set fresh_at = greatest(fresh_at, (select fresh_at from ${serving}.checkpoint))`);
  await transaction.query(`alter schema ${serving} rename to ${keptAs}`);
  await transaction.query(`alter schema ${from} rename to ${serving}`);
  await noteSwapped(transaction, id, stands, keptAs);
  // What processes keep of the views in memory ends with the commit.
  for (const channel of [credentialsChannel, v3RetirementChannel])
    await transaction.query(`select pg_notify($1, '')`, [channel]);
}

/**
 * A statement that was being parsed at the very moment of the swap may have found one table in the old set and another in
 * the new one, and be kept so as a prepared statement. Another change of the schemas has all of them parsed again.
 */
async function settle(work: Work): Promise<void> {
  await work.options.timer.sleep(1000);
  await parseAgain(work);
}

async function parseAgain({ options: { serving }, database }: Work): Promise<void> {
  const name = `${serving}_settled`;
  await database.transaction(async (transaction) => {
    await transaction.query(`create schema ${name}`);
    await transaction.query(`drop schema ${name}`);
  });
}
