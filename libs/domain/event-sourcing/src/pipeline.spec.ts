import { ok, type Result } from '#domain/kernel';
import { describe, expect, it } from '@jest/globals';
import {
  type Appended,
  EventStore,
  type EventRecord,
  type ExpectedRevision,
  type NewEvent,
  type RecordedEvent,
  type Subscription,
  WrongExpectedRevision,
} from './event-store.js';
import { type Decider, Pipeline } from './pipeline.js';

/** A log in memory that counts what it is asked for. */
class MemoryStore extends EventStore {
  readonly streams = new Map<string, RecordedEvent[]>();
  reads = 0;

  override append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
  ): Promise<Appended> {
    const history = this.streams.get(stream) ?? [];
    const head = history.length === 0 ? 'no_stream' : BigInt(history.length - 1);
    if (head !== expected) return Promise.reject(new WrongExpectedRevision(stream, head));
    this.streams.set(stream, [
      ...history,
      ...events.map(({ id, event, metadata }, index) => ({
        ...event,
        id,
        stream,
        metadata,
        revision: BigInt(history.length + index),
        position: 1n,
        recordedAt: '2026-11-21T00:00:00.000Z' as RecordedEvent['recordedAt'],
      })),
    ]);
    const revision = BigInt(history.length + events.length - 1);
    return Promise.resolve({ revision, position: 1n });
  }

  override readStream<E extends EventRecord>(stream: string): Promise<RecordedEvent<E>[]> {
    this.reads += 1;
    return Promise.resolve((this.streams.get(stream) ?? []) as RecordedEvent<E>[]);
  }

  override readLast(): Promise<undefined> {
    return Promise.resolve(undefined);
  }
  override head(): Promise<bigint> {
    return Promise.resolve(0n);
  }
  override end(): Promise<bigint> {
    return Promise.resolve(0n);
  }
  override subscribe(): Promise<Subscription> {
    return Promise.reject(new Error('not asked for here'));
  }
  override async *readAll(): AsyncIterable<RecordedEvent> {
    // An empty log.
  }
}

interface Counted extends EventRecord {
  readonly type: 'Counted';
  readonly data: { readonly by: number };
}
const counter: Decider<number, Counted> = {
  types: { Counted: { version: 1 } },
  initial: 0,
  evolve: (sum, { data }) => sum + data.by,
};
const counted = (by: number): Counted => ({ type: 'Counted', data: { by } });
const step = {
  decider: counter,
  stream: 'counter-1',
  metadata: { correlationId: 'spec', actor: { kind: 'system', id: 'spec' } },
} as const;
let made = 0;
const ids = { next: () => `id-${(made += 1)}` };
/** Counts up to three and not beyond. */
const upToThree = (sum: number): Result<readonly Counted[], 'full'> =>
  ok(sum < 3 ? [counted(1)] : []);

describe('the pipeline', () => {
  it('begins a stream without a read, and only for one of two', async () => {
    const store = new MemoryStore();
    const pipeline = new Pipeline(store, ids);
    expect(await pipeline.begin(step, [counted(1)])).toMatchObject({ ok: true });
    expect(await pipeline.begin(step, [counted(1)])).toEqual({ ok: false, refusal: 'exists' });
    expect(store.reads).toBe(0);
  });

  it('needs no read for what comes next to the process that wrote last', async () => {
    const store = new MemoryStore();
    const pipeline = new Pipeline(store, ids);
    await pipeline.begin(step, [counted(1)]);
    expect(await pipeline.run(step, upToThree)).toMatchObject({ value: { state: 2 } });
    expect(store.reads).toBe(0);
  });

  it('writes nothing from a state that another process has left behind, and decides anew', async () => {
    const store = new MemoryStore();
    const [one, other] = [new Pipeline(store, ids), new Pipeline(store, ids)];
    await one.begin(step, [counted(1)]);
    await other.run(step, upToThree);
    expect(await one.run(step, upToThree)).toMatchObject({ value: { state: 3 } });
    expect(store.streams.get(step.stream)).toHaveLength(3);
  });

  it('concludes that there is nothing to do, or refuses, from the log alone', async () => {
    const store = new MemoryStore();
    const [one, other] = [new Pipeline(store, ids), new Pipeline(store, ids)];
    await one.begin(step, [counted(3)]);
    await other.run(step, () => ok([counted(-1)]));
    expect(await one.run(step, upToThree)).toMatchObject({ value: { state: 3 } });
    expect(store.streams.get(step.stream)?.map(({ data }) => data)).toEqual([
      { by: 3 },
      { by: -1 },
      { by: 1 },
    ]);
  });

  it('gives up after a bounded number of lost races', async () => {
    const store = new MemoryStore();
    store.append = (stream) => Promise.reject(new WrongExpectedRevision(stream, 7n));
    let decisions = 0;
    const contested = new Pipeline(store, ids).run(step, () => {
      decisions += 1;
      return ok([counted(1)]);
    });
    await expect(contested).rejects.toThrow(WrongExpectedRevision);
    expect(decisions).toBe(8);
  });
});
