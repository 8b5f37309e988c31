import { type Queryable } from '../database.js';

/** A status query that was made: number `attempt` of the stream, counted from 1. */
export interface RailQueryAttempt {
  readonly stream: string;
  readonly attempt: number;
  /** One word, such as `pending`, `accepted`, `refused`, `unknown`. */
  readonly outcome: string;
}

export interface LastRailQuery {
  readonly attempts: number;
  readonly attemptedAt: Date;
}

const insert = `
  insert into records.rail_query_attempts (stream, attempt, outcome) values ($1, $2, $3)
  on conflict (stream, attempt) do nothing
  returning 1`;
const conclude = `
  update records.rail_query_attempts set outcome = $3 where stream = $1 and attempt = $2`;
const last = {
  name: 'rail-query-attempts-last',
  text: `
    select stream, max(attempt) as attempts, max(attempted_at) as attempted_at
      from records.rail_query_attempts where stream = any ($1::text[]) group by stream`,
};

/**
 * Records an attempt. Inserted before the query is sent, it is also the right to send it: of two workers
 * one alone gets `true`.
 */
export async function insertRailQueryAttempt(
  database: Queryable,
  attempt: RailQueryAttempt,
): Promise<boolean> {
  const rows = await database.query(insert, [attempt.stream, attempt.attempt, attempt.outcome]);
  return rows.length > 0;
}

/** Notes how an attempt ended. */
export async function concludeRailQueryAttempt(
  database: Queryable,
  attempt: RailQueryAttempt,
): Promise<void> {
  await database.query(conclude, [attempt.stream, attempt.attempt, attempt.outcome]);
}

/** The last attempt of each stream that has one. */
export async function lastRailQueries(
  database: Queryable,
  streams: readonly string[],
): Promise<ReadonlyMap<string, LastRailQuery>> {
  const rows = await database.query<{ stream: string; attempts: number; attempted_at: Date }>(
    last,
    [streams],
  );
  return new Map(
    rows.map((row) => [row.stream, { attempts: row.attempts, attemptedAt: row.attempted_at }]),
  );
}
