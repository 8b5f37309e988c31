import { type Queryable } from '#infra/postgres';

const isMade = `select to_regclass('accounts') is not null and to_regclass('credentials') is not null as made`;
const liveData = `
  select exists (select from accounts where mode = 'live')
      or exists (select from credentials where mode = 'live') as live`;

/**
 * Says why the process may not run with this offset (OPS-11): with live data, a moved clock moves day limits, the
 * 24 h of proposals and break-glass, and the ends of sessions.
 * @returns undefined without an offset, or without live data
 */
export async function offsetProblem(
  database: Queryable,
  clockOffsetMs: number,
): Promise<string | undefined> {
  if (clockOffsetMs === 0) return undefined;
  const [views] = await database.query<{ made: boolean }>(isMade);
  if (!views?.made) return undefined;
  const [found] = await database.query<{ live: boolean }>(liveData);
  return found?.live
    ? 'CLOCK_OFFSET is for tests only: this log has live accounts or credentials. Unset it'
    : undefined;
}
