import { RecordedQuerySchedule } from '#adapters/rail-records';
import { RailWorkOptions } from '#edges/rails';
import { Clock } from '#domain/kernel';
import { createViews, viewSchema } from '#views/view-set';
import { throwAwayDatabase, type ThrowAwayDatabase } from '#testing';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { dueRailQueries, dueStatement } from './query.js';

const minuteMs = 60_000;
const delaysMs = [minuteMs, 60 * minuteMs];
const rail = { channel: 'mpesa', mode: 'demo' } as const;
/** More than any run lists, so that a walk's answer has all that is due. */
const max = 64;
/** The time between a worker's walks, and the number of walks after which one has begun at the beginning of the list. */
const pauseMs = 500;
const patience = 11;

/** Moves on with each walk of the worker that has it. */
class OwnClock extends Clock {
  private ms = 0;

  override nowMs(): number {
    this.ms += pauseMs;
    return this.ms;
  }
}

let own: ThrowAwayDatabase;
beforeAll(async () => {
  own = await throwAwayDatabase({ searchPath: [viewSchema()] });
  await createViews(own.database, viewSchema());
});
afterAll(() => own.drop());
beforeEach(async () => {
  await own.database.query('delete from rail_queries');
});

function worker(clock: Clock = new OwnClock()): RecordedQuerySchedule {
  const options = { queryDelaysMs: delaysMs, pushTimeoutMs: 0, reviewAfterMs: 0 };
  return new RecordedQuerySchedule(own.database, new RailWorkOptions(options), clock);
}

async function walk(schedule: RecordedQuerySchedule): Promise<readonly string[]> {
  return (await schedule.due([rail], max)).map(({ stream }) => stream);
}

async function list(stream: string, ageMs: number, declined = false): Promise<void> {
  await own.database.query(
    `insert into rail_queries (stream, mode, rail_reference, intent_at, declined)
       values ($1, 'demo', 'ws_' || $1, records.now_() - $2 * interval '1 millisecond', $3)
     on conflict (stream) do update
       set rail_reference = excluded.rail_reference, intent_at = excluded.intent_at, declined = excluded.declined`,
    [stream, ageMs, declined],
  );
}

/** As of a clock that was set back an hour after each walk. */
class ClockSetBack extends Clock {
  private ms = 0;

  override nowMs(): number {
    this.ms -= 60 * minuteMs;
    return this.ms;
  }
}

it('a walk finds a collection behind the edge if the clock was set back', async () => {
  const schedule = worker(new ClockSetBack());
  await list('first', 5 * minuteMs);
  expect(await walk(schedule)).toEqual(['first']);
  await list('late', 20 * minuteMs);
  expect(await walk(schedule)).toEqual(['late', 'first']);
});

const settle = (stream: string): Promise<unknown> =>
  own.database.query('delete from rail_queries where stream = $1', [stream]);

/** All that is due now, by walks of the whole lists. */
async function allDue(): Promise<readonly string[]> {
  const both = await Promise.all(
    [false, true].map((declined) =>
      dueRailQueries(own.database, { ...rail, delaysMs, max, declined }),
    ),
  );
  return both.flatMap(({ due }) => due.map(({ stream }) => stream));
}

// Ages do not come near a delay with its jitter, so that nothing falls due while a run lasts.
const ages = fc.constantFrom(1000, 5 * minuteMs, 10 * minuteMs, 30 * minuteMs, 600 * minuteMs);
const streams = fc.integer({ min: 1, max: 8 }).map((number) => `stream-${number}`);
const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('list'), stream: streams, age: ages, declined: fc.boolean() }),
    fc.record({ kind: fc.constant('settle'), stream: streams }),
    fc.record({ kind: fc.constant('walk'), by: fc.constantFrom(0, 1) }),
    fc.record({ kind: fc.constant('restart'), by: fc.constantFrom(0, 1) }),
  ),
  { minLength: 5, maxLength: 25 },
);

it('every worker finds everything due within five seconds, after any listing, rescheduling or settlement', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (run) => {
      await own.database.query('delete from rail_queries');
      const workers = [worker(), worker()];
      for (const step of run) {
        if ('age' in step) await list(step.stream, step.age, step.declined);
        else if ('stream' in step) await settle(step.stream);
        else if (step.kind === 'restart') workers[step.by] = worker();
        else await walk(workers[step.by] ?? worker());
      }
      const expected = [...(await allDue())].sort();
      for (const schedule of [...workers, worker()]) {
        const found = new Set<string>();
        for (let turn = 0; turn < patience; turn += 1)
          for (const stream of await walk(schedule)) found.add(stream);
        expect([...found].sort()).toEqual(expected);
      }
    }),
    { numRuns: 40 },
  );
});

it('a walk from the edge finds newly due collections at once, and a new worker also finds earlier ones', async () => {
  const schedule = worker();
  await list('old', 10 * minuteMs);
  expect(await walk(schedule)).toEqual(['old']);
  await settle('old');
  await list('young', 5 * minuteMs);
  expect(await walk(schedule)).toEqual(['young']);
  await list('late', 20 * minuteMs);
  expect(await walk(worker())).toEqual(['late', 'young']);
});

it('a worker finds collections listed before the edge even if more is due behind it than requested', async () => {
  const schedule = worker();
  await list('first', 10 * minuteMs);
  await schedule.due([rail], 2);
  for (const stream of ['second', 'third']) await list(stream, 9 * minuteMs);
  await list('late', 20 * minuteMs);
  const found = new Set<string>();
  for (let turn = 0; turn < patience; turn += 1)
    for (const { stream } of await schedule.due([rail], 2)) found.add(stream);
  expect(found).toContain('late');
});

it('a walk does not read the index entries of settled collections', async () => {
  await own.database.query('alter table rail_queries set (autovacuum_enabled = false)');
  await own.database.query(
    `insert into rail_queries (stream, mode, rail_reference, intent_at)
       select 'settled-' || n, 'demo', 'ws_' || n, records.now_() - (20000000 - n * 500) * interval '1 millisecond'
         from generate_series(1, 30000) n`,
  );
  await list('waits', 2 * minuteMs);
  await own.database.query(`delete from rail_queries where stream <> 'waits'`);
  const options = { ...rail, delaysMs, max };
  const whole = await dueRailQueries(own.database, options);
  expect(whole.due).toHaveLength(1);
  expect(await pagesRead({ ...options, from: whole.oldest })).toBeLessThan(20);
  expect(await pagesRead(options)).toBeGreaterThan(100);
});

async function pagesRead(options: Parameters<typeof dueStatement>[0]): Promise<number> {
  const { text, values } = dueStatement(options);
  const [row] = await own.database.query<{
    'QUERY PLAN': [{ Plan: Readonly<Record<'Shared Hit Blocks' | 'Shared Read Blocks', number>> }];
  }>(`explain (analyze, buffers, format json) ${text}`, values);
  const plan = row?.['QUERY PLAN'][0].Plan;
  if (!plan) throw new Error('there is no plan');
  return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
}
