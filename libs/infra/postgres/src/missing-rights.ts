import { type Queryable } from './database.js';

/** Tables of the schemas on which the role lacks a right of the service, and schemas that it may not enter. */
const lacking = `
  select case when has_schema_privilege(space.oid, 'usage')
      then format('read and write table %s.%s', space.nspname, relation.relname)
      else format('use schema %s', space.nspname) end as what, current_user as role
    from pg_namespace space
    join pg_class relation on relation.relnamespace = space.oid and relation.relkind in ('r', 'p')
    where space.nspname = any ($1) and not (has_schema_privilege(space.oid, 'usage')
      and has_table_privilege(relation.oid, 'select') and has_table_privilege(relation.oid, 'insert')
      and has_table_privilege(relation.oid, 'update') and has_table_privilege(relation.oid, 'delete'))
    order by what limit 1`;

/**
 * Says which right the role lacks on a table that exists, and how to grant it (OPS-46). A process that began without it
 * would fail at the first request that needs it.
 * @returns undefined if it lacks none
 */
export async function missingRights(
  database: Queryable,
  schemas: readonly string[],
): Promise<string | undefined> {
  const [first] = await database.query<{ what: string; role: string }>(lacking, [schemas]);
  return (
    first &&
    `DATABASE_URL: its role ${first.role} may not ${first.what}: as the owner, grant it the rights of docs/how-to/run-on-real-servers.md, "Two database roles"`
  );
}
