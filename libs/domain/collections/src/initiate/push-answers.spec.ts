import { EventStore, EventStoreUnavailable, Pipeline } from '#domain/event-sourcing';
import { Ids, Timer } from '#domain/kernel';
import { beforeEach, expect, it } from '@jest/globals';
import { collectionDecider } from '../collection.js';
import { PushAnswers } from './push-answers.js';

class NotedTimer extends Timer {
  readonly pauses: number[] = [];
  sleep(ms: number): Promise<void> {
    this.pauses.push(ms);
    return Promise.resolve();
  }
}
class LastDigitZero extends Ids {
  next(): string {
    return '00000000-0000-7000-8000-000000000000';
  }
}
/** An event store that is unavailable for this many reads. */
class AwayStore {
  reads = 0;
  constructor(private readonly awayFor: number) {}
  readStream(): Promise<never[]> {
    this.reads += 1;
    return this.reads <= this.awayFor
      ? Promise.reject(new EventStoreUnavailable('the test took it away'))
      : Promise.resolve([]);
  }
}

let timer: NotedTimer;
let lost: unknown[];
beforeEach(() => {
  timer = new NotedTimer();
  lost = [];
});

async function recorded(awayFor: number): Promise<AwayStore> {
  const store = new AwayStore(awayFor);
  const pipeline = new Pipeline(store as unknown as EventStore, new LastDigitZero());
  const answers = new PushAnswers({
    pipeline,
    timer,
    onLost: (_stream, error) => void lost.push(error),
  });
  const metadata = { correlationId: 'c', actor: { kind: 'rail', id: 'mpesa' } } as const;
  const step = { decider: collectionDecider, stream: 's', metadata };
  answers.recordLater(step, Promise.resolve({ kind: 'refused', failureCode: 'rail_refused' }));
  await answers.settled();
  return store;
}

it('a late answer is retried at growing intervals while the store is away, until it is recorded', async () => {
  const store = await recorded(4);
  expect(store.reads).toBe(5);
  expect(timer.pauses).toEqual([200, 400, 800, 1600]);
  expect(lost).toEqual([]);
});

it('a late answer is given up and reported as lost after about a minute without the store', async () => {
  const store = await recorded(100);
  expect(store.reads).toBe(12);
  expect(Math.max(...timer.pauses)).toBe(10_000);
  const sum = timer.pauses.reduce((all, ms) => all + ms, 0);
  expect(sum).toBeGreaterThan(50_000);
  expect(sum).toBeLessThan(90_000);
  expect(lost).toHaveLength(1);
});
