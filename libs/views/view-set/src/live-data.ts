import { type Queryable } from '#infra/postgres';

const isMade = `select to_regclass('accounts') is not null and to_regclass('credentials') is not null as made`;
const liveData = `
  select (select fresh_at from checkpoint) is not null as built,
    exists (select from accounts where mode = 'live')
      or exists (select from credentials where mode = 'live') as live`;

/**
 * Says if the log has live accounts or credentials: `unknown` until the views have contained the whole log once. Both
 * work only from the moment at which the views show them.
 * @throws DependencyUnavailable
 */
export async function liveDataOf(database: Queryable): Promise<'live' | 'none' | 'unknown'> {
  const [views] = await database.query<{ made: boolean }>(isMade);
  if (!views?.made) return 'unknown';
  const [found] = await database.query<{ built: boolean; live: boolean }>(liveData);
  if (found?.live) return 'live';
  return found?.built ? 'none' : 'unknown';
}
