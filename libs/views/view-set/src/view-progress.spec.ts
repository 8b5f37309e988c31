import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { type Queryable } from '#infra/postgres';
import { ViewProgress } from './freshness.js';

/** A checkpoint that a test moves. */
class Checkpoint {
  position = 10n;
  reads = 0;
  down = false;
  readonly database = {
    query: async () => {
      this.reads += 1;
      await sleep(1);
      if (this.down) throw new Error('down');
      return [{ position: this.position, stream: null, revision: null, event_id: null }];
    },
  } as unknown as Queryable;
}

describe('waiting for the views', () => {
  it('ends as soon as they are there, and asks no more for what was seen', async () => {
    const checkpoint = new Checkpoint();
    const progress = new ViewProgress(checkpoint.database);
    const reached = progress.reach(11n, 2000);
    await sleep(50);
    checkpoint.position = 12n;
    expect(await reached).toBe(true);
    const { reads } = checkpoint;
    expect(await progress.reach(12n, 2000)).toBe(true);
    expect(checkpoint.reads).toBe(reads);
  });

  it('is given up in time, while others wait on', async () => {
    const checkpoint = new Checkpoint();
    const progress = new ViewProgress(checkpoint.database);
    const patient = progress.reach(11n, 2000);
    expect(await progress.reach(11n, 60)).toBe(false);
    checkpoint.position = 11n;
    expect(await patient).toBe(true);
  });

  it('costs one poll, however many wait, and none when nobody does', async () => {
    const checkpoint = new Checkpoint();
    const progress = new ViewProgress(checkpoint.database);
    await Promise.all(Array.from({ length: 1000 }, () => progress.reach(11n, 200)));
    expect(checkpoint.reads).toBeLessThan(15);
    const { reads } = checkpoint;
    await sleep(60);
    expect(checkpoint.reads).toBe(reads);
  });

  it('fails where the database cannot be asked, and begins anew later', async () => {
    const checkpoint = new Checkpoint();
    const progress = new ViewProgress(checkpoint.database);
    checkpoint.down = true;
    await expect(progress.reach(11n, 200)).rejects.toThrow('down');
    checkpoint.down = false;
    checkpoint.position = 11n;
    expect(await progress.reach(11n, 200)).toBe(true);
  });
});
