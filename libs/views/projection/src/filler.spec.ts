import {
  EventStoreUnavailable,
  type Subscription,
  type SubscriptionItem,
} from '#domain/event-sourcing';
import { Timer } from '#domain/kernel';
import { HandMadeLog, ReadOnlyLog } from '#testing';
import { expect, it } from '@jest/globals';
import { setImmediate as turn } from 'node:timers/promises';
import { Filler } from './filler.js';
import { type SqlFilling } from './sql-filling.js';
import { type Batch, type Leadership } from './sql-views.js';

/** Delivers the first events and keeps its subscription open, as a node does that has lost its leader. */
class SilentLog extends ReadOnlyLog {
  constructor(
    own: HandMadeLog,
    private readonly delivered: readonly SubscriptionItem[],
  ) {
    super(own);
  }

  override subscribe(): Promise<Subscription> {
    let end = (): void => undefined;
    const items = new ReadableStream<SubscriptionItem>({
      start: (controller) => {
        for (const item of this.delivered) controller.enqueue(item);
        end = () => {
          controller.close();
        };
      },
    });
    let isClosed = false;
    const close = () => {
      if (!isClosed) end();
      isClosed = true;
      return Promise.resolve();
    };
    return Promise.resolve({ [Symbol.asyncIterator]: () => items.values(), close });
  }
}

/** Its pauses end at once. */
class CountedTimer extends Timer {
  pauses = 0;
  override sleep(): Promise<void> {
    this.pauses += 1;
    return turn();
  }
}

const lease: Leadership = {
  fence: 1n,
  tryAcquire: () => Promise.resolve(1n),
  renew: () => Promise.resolve(true),
  release: () => Promise.resolve(),
};

it('a term ends if the subscription stays open and delivers nothing, and what came is written', async () => {
  const log = new HandMadeLog();
  const events = [1, 2, 3].flatMap(() =>
    log.append('collection-demo:m:r', { type: 'RailDeclined', data: {} }),
  );
  const written: number[] = [];
  const views = {
    begin: () => Promise.resolve({ position: 0n }),
    prepare: () => Promise.resolve([]),
    write: ({ events: some }: Batch) => Promise.resolve(void written.push(some.length)),
  } as unknown as SqlFilling;
  const timer = new CountedTimer();
  const delivered = events.slice(0, 2).map((event) => ({ kind: 'event', event }) as const);
  const filler = new Filler({ store: new SilentLog(log, delivered), views, lease, timer });
  const upTo = events.at(-1)?.position ?? 0n;
  const term = filler.fill(upTo, new AbortController().signal);
  await expect(term).rejects.toBeInstanceOf(EventStoreUnavailable);
  expect(written).toEqual([2]);
  expect(timer.pauses).toBeGreaterThan(20);
});
