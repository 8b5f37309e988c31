import { type QueryOutcome, type RailPayment } from '#domain/rails';
import { Clock } from '#domain/kernel';
import { beforeEach, expect, it } from '@jest/globals';
import { ExtraQueries, ExtraQuestions } from './extra-questions.js';
import { type RailQuestions } from './rail-questions.js';

const taken: QueryOutcome = { kind: 'unresolved' };
const refused: QueryOutcome = { kind: 'not_asked', why: 'spike_arrest' };
const held: QueryOutcome = { kind: 'not_asked', why: 'paused' };

class StoodClock extends Clock {
  ms = 1_000_000;
  nowMs(): number {
    return this.ms;
  }
}

/** Each collection may be asked about once. */
class OnceEach extends ExtraQueries {
  readonly asked: string[] = [];
  override lease(stream: string): Promise<number> {
    if (this.asked.includes(stream)) return Promise.resolve(5000);
    this.asked.push(stream);
    return Promise.resolve(0);
  }
  override giveBack(stream: string): Promise<void> {
    this.asked.splice(this.asked.indexOf(stream), 1);
    return Promise.resolve();
  }
}

let clock: StoodClock;
let extras: ExtraQuestions;
let queries: OnceEach;
let answer: QueryOutcome;
let sent: number;
let mayAsk: boolean;
beforeEach(() => {
  clock = new StoodClock();
  queries = new OnceEach();
  [answer, sent, mayAsk] = [taken, 0, true];
  const questions = {
    mayAskExtra: () => mayAsk,
    ask: () => {
      sent += 1;
      return Promise.resolve(answer);
    },
  } as unknown as RailQuestions;
  extras = new ExtraQuestions(questions, queries, clock);
});

const payment: RailPayment = { channel: 'mpesa', mode: 'demo', railReference: 'ws_CO_1' };
const ask = (stream: string, mode: 'demo' | 'live' = 'demo') =>
  extras.ask({ ...payment, mode, stream });

/**
 * Returns how many questions go out in these seconds, if a hundred are tried a second, each about another collection.
 */
async function sentIn(seconds: number): Promise<number> {
  const before = sent;
  for (let tick = 0; tick < seconds * 100; tick += 1, clock.ms += 10) await ask(`s-${clock.ms}`);
  return sent - before;
}

it('those of a mode together are ten a second, five of them at once, and take none from the other mode', async () => {
  for (const stream of ['a', 'b', 'c', 'd', 'e']) expect(await ask(stream)).toEqual(taken);
  expect(await ask('f')).toEqual(held);
  expect(await ask('f', 'live')).toEqual(taken);
  expect(queries.asked).toHaveLength(6);
  clock.ms += 100;
  expect(await sentIn(3)).toBe(30);
});

it('one collection’s callbacks take no turn from another’s', async () => {
  await ask('a');
  for (let callback = 0; callback < 9; callback += 1)
    expect(await ask('a')).toEqual({ kind: 'wait', ms: 5000 });
  expect(await ask('b')).toEqual(taken);
});

it('are fewer and fewer while the rail takes none, which do not count, and come back slowly', async () => {
  answer = refused;
  expect(await sentIn(60)).toBeLessThan(20);
  expect(queries.asked).toEqual([]);
  answer = taken;
  expect(await sentIn(60)).toBeLessThan(4);
  expect(await sentIn(1200)).toBeGreaterThan(600);
});

it('wait while the schedule’s questions are held back, and take no turn', async () => {
  mayAsk = false;
  expect(await ask('a')).toEqual(held);
  expect(queries.asked).toEqual([]);
  mayAsk = true;
  expect(await ask('a')).toEqual(taken);
});

it('a clock that is set back holds nothing up', async () => {
  for (const stream of ['a', 'b', 'c', 'd', 'e']) await ask(stream);
  clock.ms -= 3_600_000;
  expect(await ask('f')).toEqual(taken);
});
