import { type Position } from '#domain/event-sourcing';
import { DependencyUnavailable } from '#domain/kernel';
import { holdsFence, type Queryable } from '#infra/postgres';
import { credentialsChannel } from '#views/merchants';
import { v3RetirementChannel } from '#views/v3-usage';
import { oweQuarantined } from '#views/webhook-outbox';
import { type Following } from './following.js';
import { noteSwapped, swapOf } from './records.js';
import { holdStill, raiseFence } from './sets.js';
import { ReplayRefused, SwapUnknown } from './refusals.js';
import { leaseOf, parseAgain, positionIn, type Work } from './replay-work.js';

/** Maximum number of retries of a step that a possible swap still needs. */
const maxQuestions = 30;
const questionEveryMs = 1000;

interface Swap {
  readonly id: bigint;
  /** The position of both sets; if absent, that of the new one. */
  readonly at?: Position;
  /** The set that is to serve. */
  readonly from: string;
  readonly keptAs: string;
  readonly set: Following;
  /** The map that `oweBeforeSwap` returned. */
  readonly owedTo: Map<string, bigint>;
}

/**
 * Writes most of the webhooks that only the new set owes into the records, before the swap holds the serving set still.
 * The swap writes the rest. If no swap follows, they stay owed, and wait until their merchant's quarantine ends.
 * @returns the last number written, by merchant and mode
 */
export async function oweBeforeSwap(
  { options: { serving }, database }: Work,
  from: string,
): Promise<Map<string, bigint>> {
  const owedTo = new Map<string, bigint>();
  await oweQuarantined(database, { serving, other: from }, owedTo);
  return owedTo;
}

/**
 * Runs a swap and confirms it: if Postgres fails before it acknowledges the commit, the records show the outcome later.
 * @param run calls `begun` with the replay's number before it commits
 * @throws SwapUnknown; DependencyUnavailable if nothing is swapped
 */
export async function confirmedSwap(
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
  const done = id === undefined ? undefined : await retryWhileAway(work, () => swapNoted(work, id));
  if (!done) throw (failure as Error | undefined) ?? new TypeError('a swap left no record');
  return done;
}

/** The outcome of a swap. A swap that is still under way holds the serving set still, so this waits for its end. */
function swapNoted(
  { options: { serving }, database }: Work,
  id: bigint,
): ReturnType<typeof swapOf> {
  return database.transaction(async (transaction) => {
    await holdStill(transaction, serving);
    return swapOf(transaction, id);
  });
}

/** Retries while Postgres is down: the sets may be swapped already, so giving up early leaves doubt. @throws SwapUnknown */
export async function retryWhileAway<T>(
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
 * Renames the schemas, in a transaction that holds the serving set still. From its commit on, every statement,
 * including prepared ones, reads the other set. Renaming locks no table, so it waits for no reader.
 */
export async function swap(
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
  // Both contain the same events, so both are equally fresh.
  await transaction.query(`
    update ${from}.checkpoint set fresh_at = greatest(fresh_at, (select fresh_at from ${serving}.checkpoint))`);
  await transaction.query(`alter schema ${serving} rename to ${keptAs}`);
  await transaction.query(`alter schema ${from} rename to ${serving}`);
  await noteSwapped(transaction, id, stands, keptAs);
  // The commit ends the processes' caches of the views.
  for (const channel of [credentialsChannel, v3RetirementChannel])
    await transaction.query(`select pg_notify($1, '')`, [channel]);
}

/**
 * A statement that was parsed during the swap may refer to one table of the old set and one of the new, and stay
 * prepared like that. Another change of the schemas makes Postgres parse all prepared statements again.
 */
export async function settle(work: Work): Promise<void> {
  await work.options.timer.sleep(1000);
  await parseAgain(work);
}
