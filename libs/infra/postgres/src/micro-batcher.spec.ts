import { DependencyUnavailable } from '#domain/kernel';
import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { MicroBatcher } from './micro-batcher.js';

/** A flush that waits until it is released, so that a spec decides what arrives meanwhile. */
function gatedBatcher(options: { maxBatch?: number; maxQueue?: number } = {}) {
  const batches: number[][] = [];
  let release: (() => void)[] = [];
  const batcher = new MicroBatcher<number, string>({
    ...options,
    flush: async (items) => {
      batches.push([...items]);
      await new Promise<void>((resolve) => release.push(resolve));
      return items.map(String);
    },
  });
  const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));
  const letGo = async (): Promise<void> => {
    await turn();
    for (const go of release.splice(0)) go();
    release = [];
    await turn();
  };
  return { batcher, batches, letGo };
}

describe('a micro-batcher', () => {
  it('sends together what arrives while a flush is in flight, and answers each in order', async () => {
    const { batcher, batches, letGo } = gatedBatcher();
    const first = batcher.add(1);
    await letGo().then(() => first);
    const second = batcher.add(2);
    await new Promise((resolve) => setTimeout(resolve, 5));
    const rest = [batcher.add(3), batcher.add(4), batcher.add(5)];
    await letGo();
    await letGo();
    expect(await Promise.all([first, second, ...rest])).toEqual(['1', '2', '3', '4', '5']);
    expect(batches).toEqual([[1], [2], [3, 4, 5]]);
  });

  it('sends all that arrives in one turn of the event loop in one flush', async () => {
    const { batcher, batches, letGo } = gatedBatcher();
    const answers = Promise.all([1, 2, 3].map((item) => batcher.add(item)));
    await letGo();
    await answers;
    expect(batches).toEqual([[1, 2, 3]]);
  });

  it('waits for more after a large batch, but not after a small one, if it gathers', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    try {
      const batches: (readonly number[])[] = [];
      const flush = (items: readonly number[]) => {
        batches.push(items);
        return Promise.resolve(items);
      };
      const batcher = new MicroBatcher<number, number>({ flush, gathers: true });
      await Promise.all([1, 2, 3, 4].map((item) => batcher.add(item)));
      const next = batcher.add(5);
      for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
      const last = batcher.add(6);
      expect(batches).toHaveLength(1);
      jest.advanceTimersByTime(6);
      await Promise.all([next, last]);
      await batcher.add(7);
      expect(batches).toEqual([[1, 2, 3, 4], [5, 6], [7]]);
    } finally {
      jest.useRealTimers();
    }
  });

  it('keeps to the largest batch', async () => {
    const { batcher, batches, letGo } = gatedBatcher({ maxBatch: 2 });
    const answers = Promise.all([1, 2, 3].map((item) => batcher.add(item)));
    await letGo();
    await letGo();
    expect(await answers).toEqual(['1', '2', '3']);
    expect(batches).toEqual([[1, 2], [3]]);
  });

  it('refuses at once an item that would overflow the queue', async () => {
    const { batcher, letGo } = gatedBatcher({ maxQueue: 2 });
    const answers = Promise.all([batcher.add(1), batcher.add(2)]);
    await expect(batcher.add(3)).rejects.toBeInstanceOf(DependencyUnavailable);
    await letGo();
    expect(await answers).toEqual(['1', '2']);
  });

  it('fails the items of a flush that fails, and no others', async () => {
    const batcher = new MicroBatcher<number, number>({
      maxBatch: 1,
      flush: (items) =>
        items.includes(2) ? Promise.reject(new Error('two')) : Promise.resolve(items),
    });
    const outcomes = await Promise.allSettled([1, 2, 3].map((item) => batcher.add(item)));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('fails the items that wait behind an unavailable server, and accepts new ones', async () => {
    const away = new DependencyUnavailable('postgres', 'no answer in time');
    let isAway = true;
    const { promise: unanswered, reject: giveUp } = Promise.withResolvers<never>();
    const batcher = new MicroBatcher<number, number>({
      flush: (items) => (isAway ? unanswered : Promise.resolve(items)),
    });
    const first = batcher.add(1);
    await new Promise((resolve) => setTimeout(resolve, 10));
    const behind = batcher.add(2);
    giveUp(away);
    const outcomes = await Promise.allSettled([first, behind]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    isAway = false;
    await expect(batcher.add(3)).resolves.toBe(3);
  });

  it('returns each item its own answer, for all batch sizes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer(), { maxLength: 200 }),
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 1, max: 4 }),
        async (items, maxBatch, maxInFlight) => {
          const batcher = new MicroBatcher<number, number>({
            maxBatch,
            maxInFlight,
            flush: (batch) => Promise.resolve(batch.map((item) => item * 2)),
          });
          const answers = await Promise.all(items.map((item) => batcher.add(item)));
          expect(answers).toEqual(items.map((item) => item * 2));
        },
      ),
      { numRuns: 50 },
    );
  });
});
