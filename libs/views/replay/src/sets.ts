import { type Database, plainIdentifier, type Queryable } from '#infra/postgres';
import { projectorLease } from '#views/projection';

/** The schema in which a replacement for this set is built. */
export function buildingSchema(serving: string): string {
  return plainIdentifier(`${serving}_building`);
}

/** The schema that keeps the set that served until a swap. */
export function keptSchema(serving: string, replay: bigint): string {
  return plainIdentifier(`${serving}_kept_${replay}`);
}

/** The role of a set of views for this release. */
export type SetState = 'serving' | 'building' | 'kept' | 'another release';

/** A set of views in the database. */
export interface ViewSet {
  readonly schema: string;
  readonly state: SetState;
  readonly position: bigint;
  /** Seconds since it last contained the whole log; null if it never did. */
  readonly ageSeconds: number | null;
  readonly bytes: bigint;
  /** The number of quarantined scopes. */
  readonly quarantined: number;
  /** True if a process maintains it. */
  readonly isLed: boolean;
}

const schemas = `
  select n.nspname as schema, sum(pg_total_relation_size(c.oid))::int8 as bytes,
    exists (select from records.leases l
      where l.name = 'projector:' || n.nspname and l.expires_at > clock_timestamp()) as led
  from pg_namespace n join pg_class c on c.relnamespace = n.oid and c.relkind = 'r'
  where n.nspname ~ '^views_[0-9]+(_building|_kept_[0-9]+)?$' or n.nspname = $1 or n.nspname = $2
  group by n.nspname
  having bool_or(c.relname = 'checkpoint')
  order by n.nspname`;

/** All sets of views, including those of other releases. */
export async function listViewSets(database: Queryable, serving: string): Promise<ViewSet[]> {
  const rows = await database.query<{ schema: string; bytes: bigint; led: boolean }>(schemas, [
    serving,
    buildingSchema(serving),
  ]);
  const sets: ViewSet[] = [];
  for (const { schema, bytes, led } of rows) {
    const [row] = await database.query<{
      position: bigint;
      age: number | null;
      quarantined: number;
    }>(`select position, extract(epoch from records.now_() - fresh_at)::float8 as age, quarantined
        from ${plainIdentifier(schema)}.checkpoint`);
    if (!row) continue;
    const { position, age: ageSeconds, quarantined } = row;
    const state = stateOf(schema, serving);
    sets.push({ schema, state, position, ageSeconds, bytes, quarantined, isLed: led });
  }
  return sets;
}

function stateOf(schema: string, serving: string): SetState {
  if (schema === serving) return 'serving';
  if (schema === buildingSchema(serving)) return 'building';
  return schema.startsWith(`${serving}_kept_`) ? 'kept' : 'another release';
}

/** True if the set exists and has the table. */
export async function hasTable(
  database: Queryable,
  schema: string,
  table: string,
): Promise<boolean> {
  const [row] = await database.query<{ found: boolean }>(
    'select to_regclass($1) is not null as found',
    [`${plainIdentifier(schema)}.${plainIdentifier(table)}`],
  );
  return row?.found === true;
}

/** The position of a set; undefined if there is none. */
export async function standingOf(
  database: Queryable,
  schema: string,
): Promise<{ readonly position: bigint; readonly isBuilt: boolean } | undefined> {
  if (!(await hasTable(database, schema, 'checkpoint'))) return undefined;
  const [row] = await database.query<{ position: bigint; built: boolean }>(
    `select position, fresh_at is not null as built from ${schema}.checkpoint`,
  );
  return row && { position: row.position, isBuilt: row.built };
}

const raise = `
  insert into records.leases as lease (name, holder, fence, expires_at) values ($1, $2, 1, '-infinity')
  on conflict (name) do update set holder = excluded.holder, fence = lease.fence + 1, expires_at = '-infinity'`;

/** Raises the fence: the current leader of the set can write nothing more, and the next one reads the set again. */
export async function raiseFence(transaction: Queryable, schema: string): Promise<void> {
  await transaction.query(raise, [projectorLease(schema), 'swap']);
}

const hold = `
  insert into records.leases as lease (name, holder, fence, expires_at) values ($1, 'nobody', 1, '-infinity')
  on conflict (name) do update set fence = lease.fence
  returning fence`;

/** Ensures that no batch is under way in the set until the transaction ends. */
export async function holdStill(transaction: Queryable, schema: string): Promise<void> {
  await transaction.query(hold, [projectorLease(schema)]);
}

/** Deletes a set; no other transaction may use its tables at that moment. @throws DependencyUnavailable if one does */
export async function dropSet(database: Database, schema: string): Promise<void> {
  await database.transaction(async (transaction) => {
    await transaction.query(`set local lock_timeout = '2s'`);
    await transaction.query(`drop schema ${plainIdentifier(schema)} cascade`);
  });
}
