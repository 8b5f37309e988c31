import { ok, type Result } from '#domain/kernel';
import { describe, expect, it } from '@jest/globals';
import { MemoryLog } from '#testing';
import { type EventRecord, WrongExpectedRevision } from './event-store.js';
import { type Decider, Pipeline } from './pipeline.js';

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
/** Counts up to three, then refuses. */
const upToThree = (sum: number): Result<readonly Counted[], 'full'> =>
  ok(sum < 3 ? [counted(1)] : []);

describe('the pipeline', () => {
  it('begins a stream without a read, and only for one of two', async () => {
    const store = new MemoryLog();
    const pipeline = new Pipeline(store, ids);
    expect(await pipeline.begin(step, [counted(1)])).toMatchObject({ ok: true });
    expect(await pipeline.begin(step, [counted(1)])).toEqual({ ok: false, refusal: 'exists' });
    expect(store.reads).toBe(0);
  });

  it('needs no read for what comes next to the process that wrote last', async () => {
    const store = new MemoryLog();
    const pipeline = new Pipeline(store, ids);
    await pipeline.begin(step, [counted(1)]);
    expect(await pipeline.run(step, upToThree)).toMatchObject({ value: { state: 2 } });
    expect(store.reads).toBe(0);
  });

  it('writes nothing from a state that another process has left behind, and decides anew', async () => {
    const store = new MemoryLog();
    const [one, other] = [new Pipeline(store, ids), new Pipeline(store, ids)];
    await one.begin(step, [counted(1)]);
    await other.run(step, upToThree);
    expect(await one.run(step, upToThree)).toMatchObject({ value: { state: 3 } });
    expect(store.streams.get(step.stream)).toHaveLength(3);
  });

  it('concludes that there is nothing to do, or refuses, from the log alone', async () => {
    const store = new MemoryLog();
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

  it('lets a command without a trace continue the stream’s, and none other', async () => {
    const store = new MemoryLog();
    const pipeline = new Pipeline(store, ids);
    const traced = { ...step, decider: { ...counter, traceOf: (sum: number) => `of ${sum}` } };
    await pipeline.begin(step, [counted(1)]);
    await pipeline.run(traced, upToThree);
    const metadata = { ...step.metadata, traceparent: 'its own' };
    await pipeline.run({ ...traced, metadata }, upToThree);
    expect(store.streams.get(step.stream)?.map(({ metadata: of }) => of.traceparent)).toEqual([
      undefined,
      'of 1',
      'its own',
    ]);
  });

  it('gives up after a bounded number of lost races', async () => {
    const store = new MemoryLog();
    store.append = (stream) => Promise.reject(new WrongExpectedRevision(stream, 7n));
    let decisions = 0;
    const contested = new Pipeline(store, ids).run(step, () => {
      decisions += 1;
      return ok([counted(1)]);
    });
    await expect(contested).rejects.toThrow(WrongExpectedRevision);
    expect(decisions).toBe(8);
  });

  it('appends a fact to whatever the stream contains, even if others append at the same time', async () => {
    const store = new MemoryLog();
    const note = { types: counter.types, stream: step.stream, metadata: step.metadata };
    const ways = Array.from({ length: 4 }, () => new Pipeline(store, ids));
    const noted = await Promise.all(ways.map((one, by) => one.note(note, counted(by))));
    const events = await store.readStream(step.stream);
    expect(events.map(({ id }) => id).toSorted()).toEqual(noted.toSorted());
    expect(events.map(({ metadata }) => metadata.v)).toEqual([1, 1, 1, 1]);
  });

  it('also gives up noting, and notes nothing that its subject does not name', async () => {
    const store = new MemoryLog();
    let appends = 0;
    store.append = (stream) => {
      appends += 1;
      return Promise.reject(new WrongExpectedRevision(stream, 7n));
    };
    const pipeline = new Pipeline(store, ids);
    const note = { types: counter.types, stream: step.stream, metadata: step.metadata };
    await expect(pipeline.note(note, counted(1))).rejects.toThrow(WrongExpectedRevision);
    expect(appends).toBe(8);
    await expect(pipeline.note({ ...note, types: {} }, counted(1))).rejects.toThrow(TypeError);
    expect(appends).toBe(8);
  });
});
