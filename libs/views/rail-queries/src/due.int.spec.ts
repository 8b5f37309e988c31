import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { RecordedQuerySchedule } from '#adapters/rail-records';
import { SystemClock } from '#infra/runtime';
import { RailWorkOptions } from '#edges/rails';
import { createViews, viewSchema } from '#views/view-set';
import { throwAwayDatabase, type ThrowAwayDatabase } from '#testing';
import { dueRailQueries, overdueCollections, type RailQueriesEdge } from './query.js';

const minuteMs = 60_000;
const delaysMs = [minuteMs, 60 * minuteMs];
let own: ThrowAwayDatabase;

beforeAll(async () => {
  own = await throwAwayDatabase({ searchPath: [viewSchema()] });
  await createViews(own.database, viewSchema());
});
afterAll(() => own.drop());
beforeEach(async () => {
  await own.database.query('delete from rail_queries');
  await own.database.query('delete from records.rail_query_attempts');
});

/** `a-1` is the oldest. The intents of one list have the same millisecond. */
async function list(name: string, count: number, ageMs: number): Promise<readonly string[]> {
  await own.database.query(
    `insert into rail_queries (stream, mode, rail_reference, intent_at)
       select $1 || '-' || n, 'demo', 'ws_' || $1 || n, records.now_() - $3 * interval '1 millisecond'
         from generate_series(1, $2) n`,
    [name, count, ageMs],
  );
  return Array.from({ length: count }, (_, index) => `${name}-${index + 1}`);
}

async function ask(streams: readonly string[]): Promise<void> {
  const options = { queryDelaysMs: [], pushTimeoutMs: 0, reviewAfterMs: 0 };
  const schedule = new RecordedQuerySchedule(
    own.database,
    new RailWorkOptions(options),
    new SystemClock(),
  );
  for (const stream of streams) {
    await schedule.lease({ stream, attempt: 1 });
    await schedule.conclude({ stream, attempt: 1 }, 'unresolved');
  }
}

async function look(from?: RailQueriesEdge, max = 10) {
  const { due, next } = await dueRailQueries(own.database, {
    delaysMs,
    channel: 'mpesa',
    mode: 'demo',
    max,
    from,
    maxWalked: 4,
  });
  return { due: due.map(({ stream }) => stream), next };
}

describe('scans of the collections that wait for the rail', () => {
  it('cover a bounded part each, continue from the previous one, and restart after the youngest', async () => {
    await ask(await list('asked', 9, 10 * minuteMs));
    const young = await list('young', 3, 5 * minuteMs);
    await list('too-young', 3, minuteMs / 2);
    const looks = [await look()];
    for (const next of [0, 1, 2]) looks.push(await look(looks[next]?.next));
    expect(looks.map(({ due }) => due)).toEqual([[], [], young, []]);
    expect(looks.map(({ next }) => next?.stream)).toEqual([
      'asked-4',
      'asked-8',
      'young-3',
      undefined,
    ]);
  });

  it('for one rail skip the collections of another', async () => {
    await list('of-mpesa', 4, 10 * minuteMs);
    const [young = ''] = await list('of-pigeon', 1, 5 * minuteMs);
    await own.database.query(`update rail_queries set channel = 'pigeon' where stream = $1`, [
      young,
    ]);
    const options = { queryDelaysMs: delaysMs, pushTimeoutMs: 0, reviewAfterMs: 0 };
    const schedule = new RecordedQuerySchedule(
      own.database,
      new RailWorkOptions(options),
      new SystemClock(),
    );
    const ofPigeon = { channel: 'pigeon', mode: 'demo' } as const;
    expect(await schedule.due([ofPigeon], 2)).toMatchObject([{ ...ofPigeon, stream: young }]);
    const afterMs = minuteMs;
    const overdue = await overdueCollections(own.database, {
      afterMs,
      max: 2,
      askable: [ofPigeon],
    });
    expect(overdue).toMatchObject([{ stream: young, isLate: false }]);
  });

  it('do not advance if more is due than was requested', async () => {
    await ask(await list('asked', 4, 10 * minuteMs));
    const young = await list('young', 3, 5 * minuteMs);
    const { next } = await look();
    const full = await look(next, 2);
    expect(full).toEqual({ due: young.slice(0, 2), next });
    await ask(full.due);
    expect((await look(full.next, 2)).due).toEqual(young.slice(2));
  });
});
