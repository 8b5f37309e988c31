import { type DrillFindings } from '#domain/drills';
import { type EventStore } from '#domain/event-sourcing';
import { type Clock, DependencyUnavailable, type Timer } from '#domain/kernel';
import { type SealedTable } from '#records/keys';
import { type Database, plainIdentifier } from '#infra/postgres';
import { type Keyring } from '#shared/signing';
import { projectorLease } from '#views/projection';
import { databaseNow } from '#views/view-set';
import { checkSeals } from './check-seals.js';
import { compareRecords, type Pair, reachOf } from './compare-records.js';
import { compareViews } from './compare-views.js';
import {
  copyRecords,
  createDatabase,
  dropDatabase,
  dropLeftOvers,
  openCopy,
  prepareRestored,
  requireServedByThis,
  statementTimeoutMs,
  urlOf,
} from './copies.js';
import { DrillRefused } from './drill-refused.js';
import { openSealed } from './open-sealed.js';

export interface DrillOptions {
  /** The pool of the process; the drill opens its own connections. */
  readonly database: Database;
  /** The schema of the serving set of views. */
  readonly schema: string;
  readonly store: EventStore;
  readonly clock: Clock;
  readonly timer: Timer;
  /** A keyring of this command's own: the drill adds the copy's data keys to it. */
  readonly keyring: Keyring;
  /** Everything in the records that is encrypted. */
  readonly sealedTables: readonly SealedTable[];
  /** The id of this process, different at each start. */
  readonly holder: string;
  /** Ends the drill at the next table or batch; the drill then drops what it made. */
  readonly signal: AbortSignal;
  readonly onProgress: (doing: string) => void;
}

/**
 * Drills on a database into which somebody restored a backup. The drill writes only to that database. It keeps the
 * database's data, and migrates its records to this release.
 * @throws DrillRefused, DependencyUnavailable; the reason with which the signal was aborted
 */
export function drillRestored(options: DrillOptions, url: string): Promise<DrillFindings> {
  return withServing(options, async (serving) => {
    const copy = openCopy(serving, url);
    try {
      await answering(copy);
      await prepareRestored(serving, copy);
      return await check(options, { serving, copy }, 'restored');
    } finally {
      await copy.close();
    }
  });
}

/**
 * Drills on a copy that it makes on the same server and drops in any case. It first drops the copies of drills that
 * were killed.
 * @param servingUrl URL of the database; its user may create databases and is a superuser
 * @throws as `drillRestored`
 */
export function drillOwnCopy(options: DrillOptions, servingUrl: string): Promise<DrillFindings> {
  const { onProgress, signal } = options;
  return withServing(options, async (serving) => {
    await dropLeftOvers(serving);
    const name = await createDatabase(serving);
    const copy = openCopy(serving, urlOf(servingUrl, name));
    try {
      await copyRecords(serving, copy, (table) => {
        signal.throwIfAborted();
        onProgress(`copying ${table}`);
      });
      return await check(options, { serving, copy }, 'made');
    } finally {
      onProgress('dropping the copy');
      await copy.close();
      await dropDatabase(serving, name);
    }
  });
}

async function withServing<T>(
  { database }: DrillOptions,
  work: (serving: Database) => Promise<T>,
): Promise<T> {
  const serving = database.beside({ app: 'drill', poolSize: 4, statementTimeoutMs });
  try {
    await requireServedByThis(serving);
    return await work(serving);
  } finally {
    await serving.close();
  }
}

async function answering(copy: Database): Promise<void> {
  try {
    await copy.query('select 1');
  } catch (error) {
    const why =
      error instanceof DependencyUnavailable ? error.message : 'it refuses the connection';
    throw new DrillRefused(`the copy's database does not answer: ${why}`);
  }
}

async function check(
  options: DrillOptions,
  pair: Pair,
  made: DrillFindings['copy'],
): Promise<DrillFindings> {
  const { schema, store, clock, timer, holder, signal, keyring, onProgress } = options;
  const step = (doing: string): void => {
    signal.throwIfAborted();
    onProgress(doing);
  };
  const building = plainIdentifier(`${schema}_drill`);
  const { copy } = pair;
  const dropBuilt = async (): Promise<void> => {
    await copy.query(`drop schema if exists ${building} cascade`);
    await copy.query('delete from records.leases where name = $1', [projectorLease(building)]);
  };
  // The rows' times are by this clock.
  const nowMs = (await databaseNow(pair.serving)).getTime();
  // Drop what a killed drill left.
  await dropBuilt();
  const reachesToMs = await reachOf(copy, projectorLease(building));
  const records = await compareRecords(pair, reachesToMs, (table) => {
    step(`comparing records.${table}`);
  });
  const opened = await openSealed(pair, keyring, {
    tables: options.sealedTables,
    onTable: (table) => {
      step(`opening records.${table}`);
    },
  });
  step('checking seals');
  const seals = await checkSeals(copy, store);
  try {
    const { position, views } = await compareViews(pair, {
      store,
      clock,
      timer,
      schema,
      building,
      holder,
      signal,
      onPosition: (at, target) => {
        onProgress(`building views, ${target === 0n ? 100n : (at * 100n) / target} %`);
      },
      onTable: (table) => {
        step(`comparing ${table}`);
      },
    });
    return { copy: made, nowMs, reachesToMs, position, records, opened, views, seals };
  } finally {
    await dropBuilt();
  }
}
