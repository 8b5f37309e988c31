import { readFile } from 'node:fs/promises';
import { auditEventTypes } from '#domain/audit';
import { collectionEventTypes } from '#domain/collections';
import { correctionEventTypes } from '#domain/corrections';
import { drillEventTypes } from '#domain/drills';
import { type EventTypes, type Position } from '#domain/event-sourcing';
import { evidenceEventTypes } from '#domain/evidence';
import { reservationEventTypes } from '#domain/ledger';
import { merchantEventTypes } from '#domain/merchants';
import { payoutBatchEventTypes, payoutEventTypes } from '#domain/payouts';
import { roleEventTypes } from '#domain/people';
import { reconciliationEventTypes } from '#domain/reconciliation';
import { retirementEventTypes } from '#domain/v3-retirement';
import {
  type Database,
  isUniqueViolation,
  packageDirectory,
  plainIdentifier,
  type Queryable,
} from '#infra/postgres';

/**
 * The prefixes of all streams that any view is built from, those of later subjects included: a prefix
 * added later would be skipped by an old projector in a rolling release.
 */
export const projectedPrefixes = [
  'collection-',
  'payout-',
  'reservations-',
  'correction-',
  'merchant-',
  'platform-',
] as const;

/** Every event of those streams, for whoever reads all of them. */
export const projectedEventTypes: EventTypes = {
  ...collectionEventTypes,
  ...correctionEventTypes,
  ...payoutEventTypes,
  ...payoutBatchEventTypes,
  ...reservationEventTypes,
  ...merchantEventTypes,
  ...evidenceEventTypes,
  ...retirementEventTypes,
  ...roleEventTypes,
  ...reconciliationEventTypes,
  ...auditEventTypes,
  ...drillEventTypes,
};

/** Where the views stand in the log, and the last event that they applied. */
export interface Checkpoint {
  readonly position: Position;
  readonly lastEvent?: { readonly stream: string; readonly revision: bigint; readonly id: string };
}

/** Another projector moved the checkpoint or took the lease: what this one holds in memory is stale. */
export class CheckpointMoved extends Error {
  override readonly name = 'CheckpointMoved';
}

/**
 * The shape of the views that this release reads and writes: the number of its file in migrations/views.
 * Another shape is another file, a higher number and so another schema, built beside the serving one.
 */
const viewShape = 11;

/** The schema that a connection's search_path names; the statements of the views name none. */
export function viewSchema(shape: number = viewShape): string {
  return plainIdentifier(`views_${String(shape)}`);
}

/** One projector at a time creates; the others wait and find it done. */
const creationLock = 7_265_002;

function readTables(): Promise<string> {
  const file = `${String(viewShape).padStart(4, '0')}.sql`;
  return readFile(packageDirectory('migrations', 'views', file), 'utf8');
}

/** Indexes by which large tables are listed, and which nothing needs while a set is filled. */
const deferred =
  /^create index (\w+)\s+on (?:transactions|transaction_listings|ledger_entries) (?:(?!is null)[^;])*;$/gm;
/** Of large tables that are only appended to while a set is filled, and in which nobody looks for a row. */
const deferredKeys =
  /^(create table (ledger_entries|webhook_events|receipts|rail_references) \((?:(?!^\);$)[^])*?),\n {2}primary key \(([^)]*)\)\n\);$/gm;
/** Their rows are all key, and whoever fills them may write one twice. */
const mayRepeat = ['receipts', 'rail_references'];

/**
 * Adds the keys and indexes that a set made without them lacks, two at a time, and has Postgres look at what the tables
 * hold: its plans would be those of empty ones.
 */
export async function completeViews(database: Database, schema: string): Promise<void> {
  const name = plainIdentifier(schema);
  const text = await readTables();
  const steps = [
    ...[...text.matchAll(deferredKeys)].map(
      ([, , table = '', columns = '']) =>
        (transaction: Queryable) =>
          addKey(transaction, table, columns),
    ),
    ...[...text.matchAll(deferred)].map(([statement]) => async (transaction: Queryable) => {
      await transaction.query(statement.replace('create index', 'create index if not exists'));
    }),
  ];
  await twoAtATime(steps, (step) =>
    database.transaction(
      async (transaction) => {
        await transaction.query(`set local search_path to ${name}`);
        await transaction.query(`set local maintenance_work_mem = '256MB'`);
        await step(transaction);
      },
      { statementTimeoutMs: longestMs },
    ),
  );
  const tables = await database.query<{ name: string }>(
    `select relname::text as name from pg_class
      where relkind = 'r' and relnamespace = $1::regnamespace and pg_relation_size(oid) > 0`,
    [name],
  );
  await twoAtATime(tables, (table) =>
    database.transaction(
      async (transaction) => {
        // Enough for its plans; autovacuum looks closer soon.
        await transaction.query('set local default_statistics_target = 20');
        await transaction.query(`analyze ${name}.${plainIdentifier(table.name)}`);
      },
      { statementTimeoutMs: longestMs },
    ),
  );
}

async function twoAtATime<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const left = [...all].reverse();
  const worker = async (): Promise<void> => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) await work(next);
  };
  await Promise.all([worker(), worker()]);
}

const hasKey = `select 1 from pg_constraint where conrelid = $1::regclass and contype = 'p'`;

/** Within the set's search_path. */
async function addKey(transaction: Queryable, table: string, columns: string): Promise<void> {
  const [existing] = await transaction.query(hasKey, [table]);
  if (existing) return;
  const add = `alter table ${table} add primary key (${columns})`;
  if (!mayRepeat.includes(table)) {
    await transaction.query(add);
    return;
  }
  await transaction.query('savepoint unique_rows');
  try {
    await transaction.query(add);
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    await transaction.query('rollback to savepoint unique_rows');
    await transaction.query(`
      delete from ${table} where ctid in (
        select ctid from (select ctid, row_number() over (partition by ${columns}) as copy from ${table}) rows
        where copy > 1)`);
    await transaction.query(add);
  }
}

/** What reads or sorts tables of a hundred million rows. */
const longestMs = 24 * 3_600_000;

/**
 * Creates the views' schema where it is missing. The database's search_path does not matter here.
 * @param isToBeFilled whether it is made without the keys and indexes that `completeViews` adds
 */
export async function createViews(
  database: Database,
  schema: string,
  isToBeFilled = false,
): Promise<void> {
  const name = plainIdentifier(schema);
  const all = await readTables();
  const tables = isToBeFilled
    ? all.replaceAll(deferred, '').replaceAll(deferredKeys, '$1\n);')
    : all;
  await database.transaction(async (transaction) => {
    await transaction.query('select pg_advisory_xact_lock($1)', [creationLock]);
    const [existing] = await transaction.query('select 1 from pg_namespace where nspname = $1', [
      name,
    ]);
    if (existing) return;
    await transaction.query(`create schema ${name}`);
    await transaction.query(`set local search_path to ${name}`);
    await transaction.query(tables);
  });
}

const select = `select position, stream, revision, event_id from checkpoint`;

export async function readCheckpoint(database: Queryable): Promise<Checkpoint> {
  const [row] = await database.query<{
    position: bigint;
    stream: string | null;
    revision: bigint | null;
    event_id: string | null;
  }>(select);
  if (!row) throw new TypeError('the views have no checkpoint row');
  const { position, stream, revision, event_id: id } = row;
  if (stream === null || revision === null || id === null) return { position };
  return { position, lastEvent: { stream, revision, id } };
}

const advance = {
  name: 'checkpoint-advance',
  text: `
  update checkpoint set position = $2, stream = coalesce($3, stream),
    revision = coalesce($4, revision), event_id = coalesce($5, event_id)
  where position = $1
  returning quarantined, unlinked`,
};

/**
 * Moves the checkpoint inside the batch's own transaction; its old value is part of the condition, so no
 * batch is applied twice, whoever applies it.
 * @returns how many parts of merchants' views stand still, and whether ledger entries wait for their links
 * @throws CheckpointMoved
 */
export async function advanceCheckpoint(
  transaction: Queryable,
  from: Checkpoint,
  to: Checkpoint,
): Promise<{ readonly quarantined: number; readonly isUnlinked: boolean }> {
  const { stream, revision, id } = to.lastEvent ?? {};
  const [moved] = await transaction.query<{ quarantined: number; unlinked: boolean }>(advance, [
    from.position,
    to.position,
    stream ?? null,
    revision ?? null,
    id ?? null,
  ]);
  if (!moved) throw new CheckpointMoved('another projector moved the checkpoint');
  return { quarantined: moved.quarantined, isUnlinked: moved.unlinked };
}

const setUnlinked = `update checkpoint set unlinked = true where not unlinked`;

/** From here on ledger entries are written without their links, until `noteLinked`. */
export async function noteUnlinked(transaction: Queryable): Promise<void> {
  await transaction.query(setUnlinked);
}

const setLinked = `update checkpoint set unlinked = false`;

/** Every ledger entry has its link. */
export async function noteLinked(transaction: Queryable): Promise<void> {
  await transaction.query(setLinked);
}

const selectIdentity = `select relnamespace::int8 as id from pg_class where oid = 'checkpoint'::regclass`;

/**
 * Which set of views it is. Whoever reads one in several statements asks before and after: between them another set may
 * have been put in its place, and what was read of both must not be compared.
 */
export async function viewSetIdentity(database: Queryable): Promise<bigint> {
  const [row] = await database.query<{ id: bigint }>(selectIdentity);
  if (!row) throw new TypeError('the views have no checkpoint table');
  return row.id;
}

/** The database's clock, with CLOCK_OFFSET. */
export async function databaseNow(database: Queryable): Promise<Date> {
  const [row] = await database.query<{ now: Date }>('select records.now_() as now');
  if (!row) throw new TypeError('the database does not say what time it is');
  return row.now;
}

const markFresh = `
  update checkpoint set fresh_at = greatest(fresh_at, $2) where position >= $1`;

/** Notes that the log ended at this position at this instant, and that the views have reached it. */
export async function noteFresh(database: Queryable, head: bigint, at: Date): Promise<void> {
  await database.query(markFresh, [head, at]);
}

/** How the views stand, for whoever looks after them. */
export interface ViewStanding {
  readonly position: Position;
  /** Since the views last held all of the log, by the database's clock; null where they never did. */
  readonly ageSeconds: number | null;
  /** Merchants and modes that stand still. */
  readonly quarantined: number;
}

const selectStanding = `
  select position, extract(epoch from records.now_() - fresh_at)::float8 as age, quarantined from checkpoint`;

export async function viewStanding(database: Queryable): Promise<ViewStanding> {
  const [row] = await database.query<{
    position: bigint;
    age: number | null;
    quarantined: number;
  }>(selectStanding);
  if (!row) throw new TypeError('the views have no checkpoint row');
  return { position: row.position, ageSeconds: row.age, quarantined: row.quarantined };
}
