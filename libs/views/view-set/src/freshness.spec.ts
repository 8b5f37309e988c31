import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { DependencyUnavailable } from '#domain/kernel';
import { type Queryable } from '#infra/postgres';
import { builtViews, ViewProgress } from './freshness.js';

/** Longer than any pause of a busy machine. */
const longMs = 60_000;

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
  it('ends once they are there, and does not poll again for a position it has seen', async () => {
    const checkpoint = new Checkpoint();
    const progress = new ViewProgress(checkpoint.database);
    const reached = progress.reach(11n, longMs);
    await sleep(50);
    checkpoint.position = 12n;
    expect(await reached).toBe(true);
    const { reads } = checkpoint;
    expect(await progress.reach(12n, longMs)).toBe(true);
    expect(checkpoint.reads).toBe(reads);
  });

  it('is given up in time, while others continue to wait', async () => {
    const checkpoint = new Checkpoint();
    const progress = new ViewProgress(checkpoint.database);
    const patient = progress.reach(11n, longMs);
    expect(await progress.reach(11n, 60)).toBe(false);
    checkpoint.position = 11n;
    expect(await patient).toBe(true);
  });

  it('costs one poll for any number of waiting callers, and no poll without them', async () => {
    const checkpoint = new Checkpoint();
    const progress = new ViewProgress(checkpoint.database);
    await Promise.all(Array.from({ length: 1000 }, () => progress.reach(11n, 200)));
    expect(checkpoint.reads).toBeLessThan(15);
    const { reads } = checkpoint;
    await sleep(60);
    expect(checkpoint.reads).toBe(reads);
  });

  it('fails if the database cannot be queried, and starts again later', async () => {
    const checkpoint = new Checkpoint();
    const progress = new ViewProgress(checkpoint.database);
    checkpoint.down = true;
    await expect(progress.reach(11n, longMs)).rejects.toThrow('down');
    checkpoint.down = false;
    checkpoint.position = 11n;
    expect(await progress.reach(11n, longMs)).toBe(true);
  });
});

describe('readiness', () => {
  /** Gives these answers one after the other, and repeats the last. */
  const answering = (...answers: readonly (Date | null | Error)[]) => {
    let asked = 0;
    const query = () => {
      const answer = answers[Math.min(asked, answers.length - 1)];
      asked += 1;
      if (answer instanceof Error) return Promise.reject(answer);
      return Promise.resolve([{ fresh_at: answer }]);
    };
    return { database: { query } as unknown as Queryable, asked: () => asked };
  };
  const away = new DependencyUnavailable('postgres', 'away');

  it('waits for views that never contained the whole log, and does not ask again once they have', async () => {
    const { database, asked } = answering(null, new Date(0));
    const check = builtViews([database]);
    await expect(check()).rejects.toMatchObject({ name: 'ViewsNotBuilt' });
    await check();
    await check();
    expect(asked()).toBe(2);
  });

  it('waits for each database, and for a replica that does not have the views yet', async () => {
    const replica = answering(new Error('relation "checkpoint" does not exist'), new Date(0));
    const check = builtViews([answering(new Date(0)).database, replica.database]);
    await expect(check()).rejects.toMatchObject({ name: 'ViewsNotBuilt' });
    await check();
  });

  it('is not blocked by an unreachable database, and asks it again', async () => {
    const { database } = answering(away, null);
    const check = builtViews([database]);
    await check();
    await expect(check()).rejects.toMatchObject({ name: 'ViewsNotBuilt' });
  });
});
