import { type Queryable } from '#infra/postgres';

/**
 * Finds the first role that the views have read. The views may belong to another log than the one that a process was
 * given.
 * @returns the event's position in the log; undefined if the views have no role, or do not exist yet
 */
export async function firstRoleGranted(
  database: Queryable,
): Promise<{ readonly position: bigint } | undefined> {
  const [views] = await database.query<{ made: boolean }>(
    `select to_regclass('acts') is not null as made`,
  );
  if (!views?.made) return undefined;
  const [found] = await database.query<{ position: bigint }>(
    `select position from acts where type = 'RoleGranted' order by position limit 1`,
  );
  return found;
}
