import { type Position } from '#domain/event-sourcing';
import { type Queryable } from '#infra/postgres';

/** The position of the views in the log, and the last event that they applied. */
export interface Checkpoint {
  readonly position: Position;
  readonly lastEvent?: { readonly stream: string; readonly revision: bigint; readonly id: string };
}

/** Another projector moved the checkpoint or took the lease: the data in this one's memory are stale. */
export class CheckpointMoved extends Error {
  override readonly name = 'CheckpointMoved';
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
 * Moves the checkpoint inside the batch's own transaction. Its old value is part of the condition, so no batch is
 * applied twice by any projector.
 * @returns the number of quarantined scopes, and true if ledger entries wait for their links
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
 * The identity of the set of views. A reader that uses several statements reads it before and after them. If another
 * set took its place in between, the rows of the two must not be compared.
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

/** Records that the log ended at this position at this instant, and that the views have reached it. */
export async function noteFresh(database: Queryable, head: bigint, at: Date): Promise<void> {
  await database.query(markFresh, [head, at]);
}

/** The state of the views, for operators. */
export interface ViewStanding {
  readonly position: Position;
  /** Seconds since the views last contained the whole log, by the database's clock; null if they never did. */
  readonly ageSeconds: number | null;
  /** The number of quarantined scopes. */
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
