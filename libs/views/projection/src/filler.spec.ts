import { EventStoreUnavailable } from '#domain/event-sourcing';
import { Timer } from '#domain/kernel';
import { FollowedLog, HandMadeLog, undisputedLease as lease } from '#testing';
import { expect, it } from '@jest/globals';
import { setImmediate as turn } from 'node:timers/promises';
import { Filler } from './filler.js';
import { type SqlFilling } from './sql-filling.js';
import { type Batch } from './sql-views.js';

/** Its pauses end at once. */
class CountedTimer extends Timer {
  pauses = 0;
  override sleep(): Promise<void> {
    this.pauses += 1;
    return turn();
  }
}

it('a term ends if the subscription stays open and delivers nothing, and what came is written', async () => {
  const log = new HandMadeLog();
  const written: number[] = [];
  const views = {
    begin: () => Promise.resolve({ position: 0n }),
    prepare: () => Promise.resolve([]),
    write: ({ events: some }: Batch) => Promise.resolve(void written.push(some.length)),
  } as unknown as SqlFilling;
  const timer = new CountedTimer();
  const store = new FollowedLog(log);
  const filler = new Filler({ store, views, lease, timer });
  // The end of the filling is never delivered.
  const term = filler.fill(1_000_000n, new AbortController().signal);
  await turn();
  store.bring(2);
  await expect(term).rejects.toBeInstanceOf(EventStoreUnavailable);
  expect(written).toEqual([2]);
  expect(timer.pauses).toBeGreaterThan(20);
});
