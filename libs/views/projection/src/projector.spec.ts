import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { setImmediate as turn } from 'node:timers/promises';
import { type EventRecord, type Subscription, type SubscriptionItem } from '#domain/event-sourcing';
import { Timer } from '#domain/kernel';
import { Metrics, SystemClock } from '#infra/runtime';
import { HandMadeLog, ReadOnlyLog } from '#testing';
import { type Checkpoint } from '#views/view-set';
import { ForeignLog, Projector, requireSameLog } from './projector.js';
import { type Batch, type Leadership, Views } from './sql-views.js';

const log = new HandMadeLog();

/** A log that delivers events when the test says so. */
class FollowedLog extends ReadOnlyLog {
  private controller!: ReadableStreamDefaultController<SubscriptionItem>;
  bring(count: number): void {
    for (let left = count; left > 0; left -= 1)
      for (const event of log.append('collection-demo:m:r', { type: 'RailDeclined', data: {} }))
        this.controller.enqueue({ kind: 'event', event });
  }
  override subscribe(): Promise<Subscription> {
    const items = new ReadableStream<SubscriptionItem>({
      start: (controller) => {
        this.controller = controller;
      },
    });
    const close = () => {
      this.controller.close();
      return Promise.resolve();
    };
    return Promise.resolve({ [Symbol.asyncIterator]: () => items.values(), close });
  }
}

/** Holds every pause of less than a second, the projector's linger, until the test releases it. */
class HeldTimer extends Timer {
  lingerMs: number | undefined;
  private end = (): void => undefined;
  override sleep(ms: number, until?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      until?.addEventListener('abort', () => {
        resolve();
      });
      if (ms < 1000) [this.lingerMs, this.end] = [ms, resolve];
    });
  }
  pass(): void {
    this.lingerMs = undefined;
    this.end();
  }
}

class NotedViews extends Views {
  readonly sizes: number[] = [];
  override checkpoint = (): Promise<Checkpoint> => Promise.resolve({ position: 0n });
  override now = (): Promise<Date> => Promise.resolve(new Date(0));
  override noteFresh = (): Promise<void> => Promise.resolve();
  override commit({ events }: Batch): Promise<void> {
    this.sizes.push(events.length);
    return Promise.resolve();
  }
}

const lease: Leadership = {
  fence: 1n,
  tryAcquire: () => Promise.resolve(1n),
  renew: () => Promise.resolve(true),
  release: () => Promise.resolve(),
};

describe('the time a batch waits for more events', () => {
  let [store, timer, views] = [new FollowedLog(log), new HeldTimer(), new NotedViews()];
  let stop: AbortController;
  let term: Promise<unknown>;
  beforeEach(async () => {
    [store, timer, views] = [new FollowedLog(log), new HeldTimer(), new NotedViews()];
    stop = new AbortController();
    const options = {
      store,
      views,
      lease,
      timer,
      clock: new SystemClock(),
      metrics: new Metrics(),
    };
    term = new Projector(options).lead(stop.signal);
    await turn();
  });
  afterEach(async () => {
    stop.abort();
    await term;
  });

  /** @returns the time that they waited */
  async function applied(count: number): Promise<number | undefined> {
    store.bring(count);
    await turn();
    const waited = timer.lingerMs;
    expect(views.sizes).toEqual([]);
    timer.pass();
    await turn();
    expect(views.sizes.splice(0)).toEqual([count]);
    return waited;
  }

  it('is 40 ms below 400 events a second', async () => {
    for (const count of [1, 15, 15, 1]) expect(await applied(count)).toBe(40);
  });

  it('is 150 ms after a batch at that rate or more, until a batch is below it', async () => {
    expect(await applied(16)).toBe(40);
    expect(await applied(60)).toBe(150);
    expect(await applied(59)).toBe(150);
    expect(await applied(1)).toBe(40);
  });

  it('is zero if a full batch has arrived meanwhile', async () => {
    store.bring(2001);
    await turn();
    timer.pass();
    await turn();
    expect(views.sizes).toEqual([1000, 1000]);
    expect(timer.lingerMs).toBe(150);
    timer.pass();
    await turn();
    expect(views.sizes).toEqual([1000, 1000, 1]);
  });
});

describe('the check that the views belong to the log', () => {
  /** Counts the events that each read returned. */
  class CountingLog extends ReadOnlyLog {
    read = 0;
    override async readStream<E extends EventRecord>(
      stream: string,
      from?: bigint,
      limit?: number,
    ) {
      const events = await super.readStream<E>(stream, from, limit);
      this.read += events.length;
      return events;
    }
  }
  const wallet = 'reservations-demo:m:1000000001:KES';
  const own = new HandMadeLog();
  const [, second] = own.append(
    wallet,
    ...Array.from({ length: 500 }, () => ({ type: 'FundsReserved', data: {} })),
  );
  if (!second) throw new Error('nothing was appended');
  const { position, stream, revision, id } = second;

  it('reads one event, however long its stream has grown since', async () => {
    const store = new CountingLog(own);
    await requireSameLog(store, { position, lastEvent: { stream, revision, id } });
    expect(store.read).toBe(1);
  });

  it.each([
    ['another event stands there', { stream, revision, id: 'another' }],
    ['its stream is shorter', { stream, revision: 500n, id }],
    ['it has no such stream', { stream: 'reservations-demo:m:2:KES', revision, id }],
  ])('fails if %s', async (_, lastEvent) => {
    const asked = requireSameLog(new ReadOnlyLog(own), { position, lastEvent });
    await expect(asked).rejects.toThrow(ForeignLog);
  });
});
