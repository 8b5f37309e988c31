import { type Queryable } from '#infra/postgres';

/**
 * True if the views have read that somebody was ever granted a role. The views may belong to another log than the one that
 * a process was given.
 */
export async function wereRolesGranted(database: Queryable): Promise<boolean> {
  const [views] = await database.query<{ made: boolean }>(
    `select to_regclass('acts') is not null as made`,
  );
  if (!views?.made) return false;
  const [found] = await database.query<{ granted: boolean }>(
    `select exists (select from acts where type = 'RoleGranted') as granted`,
  );
  return found?.granted === true;
}
