import { type Queryable } from '#infra/postgres';
import { type Comparison } from './compare.js';

/** A replay in the records. */
export interface RecordedReplay {
  readonly id: bigint;
  readonly kind: 'first' | 'replay' | 'rollback';
  readonly begunBy: string;
  readonly begunAt: Date;
  readonly caughtUpAt: Date | null;
  readonly comparedPosition: bigint | null;
  readonly differences: bigint | null;
  readonly swappedAt: Date | null;
  readonly swappedPosition: bigint | null;
  readonly keptAs: string | null;
  readonly droppedAt: Date | null;
}

const columns = `
  id, kind, begun_by as "begunBy", begun_at as "begunAt", caught_up_at as "caughtUpAt",
  compared_position as "comparedPosition", differences, swapped_at as "swappedAt",
  swapped_position as "swappedPosition", kept_as as "keptAs", dropped_at as "droppedAt"`;

/** Newest first. */
export function listReplays(
  database: Queryable,
  schema: string,
  limit: number,
): Promise<RecordedReplay[]> {
  return database.query<RecordedReplay>(
    `select ${columns} from records.replays where schema = $1 order by id desc limit $2`,
    [schema, limit],
  );
}

const underWay = `
  select id, kind from records.replays where schema = $1 and swapped_at is null and dropped_at is null`;
const begin = `
  insert into records.replays (schema, kind, begun_by, from_position) values ($1, $2, $3, $4) returning id`;

interface Begun {
  readonly schema: string;
  readonly kind: RecordedReplay['kind'];
  readonly by: string;
  readonly fromPosition: bigint;
}

/** Records the beginning, or finds the replay that was interrupted. */
export async function beginReplay(
  database: Queryable,
  { schema, kind, by, fromPosition }: Begun,
): Promise<bigint> {
  const [resumed] = await database.query<{ id: bigint }>(underWay, [schema]);
  if (resumed) return resumed.id;
  const [begun] = await database.query<{ id: bigint }>(begin, [schema, kind, by, fromPosition]);
  if (!begun) throw new TypeError('a replay has no number');
  return begun.id;
}

export async function noteCaughtUp(database: Queryable, id: bigint): Promise<void> {
  await database.query(
    `update records.replays set caught_up_at = coalesce(caught_up_at, records.now_()) where id = $1`,
    [id],
  );
}

export async function noteCompared(
  database: Queryable,
  id: bigint,
  position: bigint,
  { tables, differences }: Comparison,
): Promise<void> {
  const told = tables.map(({ table, rows, checksums }) => ({
    table,
    rows: rows.map(String),
    checksums,
  }));
  await database.query(
    `update records.replays set compared_position = $2, tables = $3, differences = $4 where id = $1`,
    [id, position, JSON.stringify(told), differences],
  );
}

/** @param keptAs the schema of the set that served until then; null if it is not kept */
export async function noteSwapped(
  transaction: Queryable,
  id: bigint,
  position: bigint,
  keptAs: string | null,
): Promise<void> {
  await transaction.query(
    `update records.replays set swapped_at = records.now_(), swapped_position = $2, kept_as = $3 where id = $1`,
    [id, position, keptAs],
  );
}

/**
 * The position of the swap and the schema of the kept set; undefined if it did not end with a swap, or if its beginning
 * was rolled back.
 */
export async function swapOf(
  database: Queryable,
  id: bigint,
): Promise<{ readonly position: bigint; readonly keptAs: string } | undefined> {
  const [row] = await database.query<{ position: bigint; keptAs: string }>(
    `select swapped_position as position, kept_as as "keptAs" from records.replays
     where id = $1 and swapped_at is not null`,
    [id],
  );
  return row;
}

/** Records that a kept set was dropped, or serves again. */
export async function forgetKept(database: Queryable, keptAs: string): Promise<void> {
  await database.query(`update records.replays set kept_as = null where kept_as = $1`, [keptAs]);
}

/** Records that a building set was dropped. */
export async function noteDropped(database: Queryable, schema: string): Promise<void> {
  await database.query(
    `update records.replays set dropped_at = records.now_()
     where schema = $1 and swapped_at is null and dropped_at is null`,
    [schema],
  );
}
