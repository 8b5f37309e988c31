import { type QueryOutcome } from '#domain/rails';
import { Logger } from '@nestjs/common';
import { Clock, Timer } from '#domain/kernel';
import { Metrics } from '#infra/runtime';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { Backoff, RailWorkOptions } from '../rail-work-options.js';
import { type RailCallbacks, RailTable } from '../rail-adapter.js';
import { QueryThrottle } from './query-throttle.js';

const refused: QueryOutcome = { kind: 'not_asked', why: 'spike_arrest' };
const taken: QueryOutcome = { kind: 'unresolved' };
const held: QueryOutcome = { kind: 'not_asked', why: 'paused' };

class StoodClock extends Clock {
  ms = 1_000_000;
  nowMs(): number {
    return this.ms;
  }
}
class NoTimer extends Timer {
  sleep(): Promise<void> {
    return Promise.resolve();
  }
}

const demo = { channel: 'mpesa', mode: 'demo' } as const;
const rails = new RailTable([{ channel: 'mpesa' } as RailCallbacks]);

let clock: StoodClock;
let metrics: Metrics;
let throttle: QueryThrottle;
let sent = 0;
const ask = (outcome: QueryOutcome, mode: 'demo' | 'live' = 'demo') =>
  throttle.ask({ channel: 'mpesa', mode }, () => {
    sent += 1;
    return Promise.resolve(outcome);
  });
/** The longest duration of the n-th pause in a row. */
const longest = [2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000];

const lines: unknown[] = [];
beforeAll(() => {
  const keep = (line: unknown): void => void lines.push(line);
  Logger.overrideLogger({ log: keep, warn: keep, error: keep });
});
afterAll(() => {
  Logger.overrideLogger(true);
});
beforeEach(() => {
  lines.length = 0;
  clock = new StoodClock();
  metrics = new Metrics();
  sent = 0;
  const options = new RailWorkOptions({
    queryDelaysMs: [],
    pushTimeoutMs: 1,
    reviewAfterMs: 1,
    random: () => 0.999_999,
  });
  throttle = new QueryThrottle(clock, new Backoff(new NoTimer(), options), rails, metrics);
});

it('all questions of a mode wait after one that the rail did not take, but not those of the other mode', async () => {
  expect(await ask(refused)).toEqual(refused);
  expect([throttle.mayAsk(demo), throttle.mayAsk({ ...demo, mode: 'live' })]).toEqual([
    false,
    true,
  ]);
  expect(await ask(taken)).toEqual(held);
  expect(await ask(taken, 'live')).toEqual(taken);
  expect(sent).toBe(2);
});

it('pauses grow up to a minute while the rail takes nothing, and end by themselves', async () => {
  for (const ms of longest) {
    await ask(refused);
    clock.ms += ms - 5;
    expect(throttle.mayAsk(demo)).toBe(false);
    clock.ms += 5;
    expect(throttle.mayAsk(demo)).toBe(true);
  }
  expect(await ask(taken)).toEqual(taken);
  await ask(refused);
  clock.ms += 2000;
  expect(throttle.mayAsk(demo)).toBe(true);
});

it('a single question tries whether the rail takes them again', async () => {
  await ask(refused);
  clock.ms += 2000;
  const { promise, resolve } = Promise.withResolvers<QueryOutcome>();
  const trying = throttle.ask(demo, () => promise);
  expect(await ask(taken)).toEqual(held);
  resolve(taken);
  await trying;
  expect(await Promise.all([ask(taken), ask(taken)])).toEqual([taken, taken]);
});

it('a scheduled question goes before extra ones, which try only if none is due', async () => {
  expect(throttle.mayAskExtra(demo)).toBe(true);
  await ask(refused);
  clock.ms += 2000;
  expect([throttle.mayAsk(demo), throttle.mayAskExtra(demo)]).toEqual([true, false]);
  clock.ms += 5000;
  expect(throttle.mayAskExtra(demo)).toBe(true);
  await ask(taken);
  expect(throttle.mayAskExtra(demo)).toBe(true);
});

it('questions in flight together start only one pause, the shortest', async () => {
  await Promise.all([ask(refused), ask(refused), ask(taken), ask(refused)]);
  clock.ms += 2000;
  expect(throttle.mayAsk(demo)).toBe(true);
});

it('a question that throws does not keep the others waiting', async () => {
  await ask(refused);
  clock.ms += 2000;
  await expect(throttle.ask(demo, () => Promise.reject(new Error('broke')))).rejects.toThrow(
    'broke',
  );
  expect(await ask(taken)).toEqual(taken);
});

it('a clock that is set back by hours does not make a pause of hours', async () => {
  await ask(refused);
  clock.ms -= 3_600_000;
  expect(throttle.mayAsk(demo)).toBe(true);
});

it('metrics and log lines report that questions are held back, and why', async () => {
  await ask(refused);
  const read = () => metrics.registry.metrics();
  expect(await read()).toContain('pesapost_rail_queries_paused{channel="mpesa",mode="demo"} 1');
  expect(await read()).toContain(
    'pesapost_rail_query_pauses_total{channel="mpesa",mode="demo",why="spike_arrest"} 1',
  );
  clock.ms += 2000;
  await ask(taken);
  expect(await read()).toContain('pesapost_rail_queries_paused{channel="mpesa",mode="demo"} 0');
  expect(lines).toMatchObject([
    { msg: 'status queries pause', mode: 'demo', why: 'spike_arrest' },
    { msg: 'status queries go on', mode: 'demo' },
  ]);
});

it('metrics name the rail whose questions are held back, for collections and payouts alike', async () => {
  const paused = async (channel: string) => {
    const text = await metrics.registry.metrics();
    return new RegExp(
      `^pesapost_rail_queries_paused\\{channel="${channel}",mode="demo"\\} (.)$`,
      'm',
    )
      .exec(text)
      ?.at(1);
  };
  const payouts = { ...demo, channel: 'airtel', about: 'payouts' } as const;
  await ask(refused);
  await throttle.ask(payouts, () => Promise.resolve(refused));
  clock.ms += 2000;
  await ask(taken);
  expect([await paused('mpesa'), await paused('airtel')]).toEqual(['0', '1']);
  await throttle.ask(payouts, () => Promise.resolve(taken));
  expect(await paused('airtel')).toBe('0');
});
