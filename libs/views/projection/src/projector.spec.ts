import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { setImmediate as turn } from 'node:timers/promises';
import { type EventRecord, EventStoreUnavailable } from '#domain/event-sourcing';
import { Timer } from '#domain/kernel';
import { Metrics, SystemClock } from '#infra/runtime';
import { FollowedLog, HandMadeLog, ReadOnlyLog, undisputedLease as lease } from '#testing';
import { type Checkpoint } from '#views/view-set';
import { ForeignLog, Projector, requireSameLog } from './projector.js';
import { type Batch, Views } from './sql-views.js';

const log = new HandMadeLog();

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

/** Ends all pauses when the test says so, and lets a second pass each time. */
class SteppedTimer extends Timer {
  nowMs = 0;
  private ends: (() => void)[] = [];
  override sleep(_ms: number, until?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      until?.addEventListener('abort', () => {
        resolve();
      });
      this.ends.push(resolve);
    });
  }
  async pass(seconds = 1): Promise<void> {
    for (let left = seconds; left > 0; left -= 1) {
      this.nowMs += 1000;
      for (const end of this.ends.splice(0)) end();
      await turn();
    }
  }
}

describe('a subscription that stays open', () => {
  const event = { type: 'RailDeclined', data: {} };
  let [own, timer, views] = [new HandMadeLog(), new SteppedTimer(), new NotedViews()];
  let store: FollowedLog;
  let projector: Projector;
  let stop: AbortController;
  beforeEach(() => {
    [own, timer, views] = [new HandMadeLog(), new SteppedTimer(), new NotedViews()];
    store = new FollowedLog(own);
    stop = new AbortController();
    jest.spyOn(performance, 'now').mockImplementation(() => timer.nowMs);
    const metrics = new Metrics();
    projector = new Projector({ store, views, lease, timer, clock: new SystemClock(), metrics });
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  /** Begins a term. @returns how it ended, once it has */
  async function begun(): Promise<{ readonly ended: Promise<unknown>; over: boolean }> {
    const term = { ended: Promise.resolve<unknown>(undefined), over: false };
    term.ended = projector.lead(stop.signal).catch((error: unknown) => error);
    void term.ended.then(() => (term.over = true));
    await turn();
    return term;
  }

  it('is left after ten seconds if it delivers nothing while the log grows', async () => {
    for (const failed of [1, 2, 3]) {
      own.append('collection-demo:m:r', event);
      const term = await begun();
      await timer.pass(9);
      expect(term.over).toBe(false);
      await timer.pass();
      expect(await term.ended).toBeInstanceOf(EventStoreUnavailable);
      expect(projector.failedTerms).toBe(failed);
    }
    const next = await begun();
    for (const each of own.events) store.deliver({ kind: 'event', event: each });
    await timer.pass(2);
    expect(projector.failedTerms).toBe(0);
    expect(await end(next)).toEqual([3]);
  });

  /** Ends the term, which has to be under way. @returns the sizes of the batches that it applied */
  async function end(term: Awaited<ReturnType<typeof begun>>): Promise<readonly number[]> {
    expect(term.over).toBe(false);
    stop.abort();
    expect(await term.ended).toBe('idle');
    return views.sizes;
  }

  it('is kept while the log has nothing for it', async () => {
    const term = await begun();
    await timer.pass(30);
    expect(await end(term)).toEqual([]);
  });

  it('is kept while the views wait at a bound for what it delivered', async () => {
    await projector.bound(0n);
    const term = await begun();
    store.bring(1);
    await turn();
    await timer.pass(30);
    expect(views.sizes).toEqual([]);
    await projector.bound(undefined);
    await timer.pass(2);
    expect(await end(term)).toEqual([1]);
  });

  it('is kept while it reports how far it has looked', async () => {
    own.append('collection-demo:m:r', event);
    const term = await begun();
    for (let second = 0; second < 30; second += 1) {
      store.deliver({ kind: 'checkpoint', position: BigInt(second) });
      await turn();
      await timer.pass();
    }
    expect(await end(term)).toEqual([]);
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
