import { createLogger } from '#infra/runtime';
import { redisNamespace } from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { RedisStore, SourceFailures } from './index.js';

const logger = createLogger({ app: 'spec', level: 'silent' });
const namespace = redisNamespace();
const stores = [1, 2].map(() => new RedisStore({ ...namespace, logger }));
const [store, replica] = stores as [RedisStore, RedisStore];
beforeAll(() => Promise.all(stores.map((one) => one.start())));
afterAll(() => Promise.all(stores.map((one) => one.close())));

describe('failures of a source', () => {
  it('are one count for all replicas, and say how long to wait', async () => {
    const rate = { limit: 1, intervalMs: 3_600_000, burst: 5 };
    const [here, there] = [new SourceFailures(store, rate), new SourceFailures(replica, rate)];
    const waits = await Promise.all(
      Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? here : there).count('198.51.100.1')),
    );
    expect(waits.filter((wait) => wait === undefined)).toHaveLength(5);
    for (const wait of waits) if (wait !== undefined) expect(wait).toBeLessThanOrEqual(3_600_000);
    expect(await here.count('198.51.100.2')).toBeUndefined();
  });

  it('are forgotten as soon as they do not matter any more, so untrusted senders cannot fill the memory', async () => {
    const failures = new SourceFailures(store);
    await failures.count('198.51.100.3');
    expect(await store.lifeMs('source-failures:198.51.100.3')).toBeLessThanOrEqual(102);
    await sleep(150);
    expect(await store.get('source-failures:198.51.100.3')).toBeNull();
  });
});
