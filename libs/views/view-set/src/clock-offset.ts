import { type Queryable } from '#infra/postgres';
import { liveDataOf } from './live-data.js';

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
  return (await liveDataOf(database)) === 'live'
    ? 'CLOCK_OFFSET is for tests only: this log has live accounts or credentials. Unset it'
    : undefined;
}
