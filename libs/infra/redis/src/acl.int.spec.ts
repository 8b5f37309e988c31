import { createLogger } from '#infra/runtime';
import { redisNamespace } from '#testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { RedisStore } from './index.js';
import { scripts } from './scripts.js';

/** The user of the how-to: it may use the service's own keys, and no command that an administrator uses. */
const rights = [
  '+@read',
  '+@write',
  '+@scripting',
  '+@connection',
  '-@dangerous',
  '+info',
  '+time',
];
const namespace = redisNamespace();
const user = `pesapost-${randomUUID()}`;
let admin: Redis;
let store: RedisStore;

beforeAll(async () => {
  admin = new Redis(namespace.url);
  await admin.call('acl', 'setuser', user, 'on', '>secret', `~${namespace.prefix}*`, ...rights);
  const url = new URL(namespace.url);
  [url.username, url.password] = [user, 'secret'];
  const logger = createLogger({ app: 'spec', level: 'silent' });
  store = new RedisStore({ ...namespace, url: url.href, logger });
  await store.start();
});
afterAll(async () => {
  await store.close();
  await admin.call('acl', 'deluser', user);
  await admin.quit();
});

it('may run every command of the service', async () => {
  await store.ping();
  await store.set('one', '1', 60_000);
  expect(await store.getAll(['one', 'two'])).toEqual(['1', null]);
  expect(await store.setIfAbsent('one', '2', 60_000)).toBe(false);
  expect(await store.lifeMs('one')).toBeGreaterThan(0);
  await store.add('sum', 3n, 60_000);
  expect(await store.get('sum')).toBe('3');
});

it.each(scripts.map((script) => [script.name, script] as const))(
  'may run the script %s',
  async (_, script) => {
    const keys = Array.from({ length: script.keys }, (__, index) => `${script.name}-${index}`);
    // Arguments that mean nothing may fail within the script, but never for a right that is missing.
    const found = await store
      .run(
        script,
        keys,
        Array.from({ length: 12 }, () => 1),
      )
      .then(
        () => 'done',
        (error: unknown) => String((error as { cause?: unknown }).cause),
      );
    expect(found).not.toMatch(/NOPERM|permission/i);
  },
);

it('may neither read other keys nor change the server', async () => {
  const url = new URL(namespace.url);
  [url.username, url.password] = [user, 'secret'];
  const client = new Redis(url.href);
  try {
    await expect(client.get('another-service')).rejects.toThrow(/NOPERM/);
    await expect(client.config('SET', 'maxmemory', '1')).rejects.toThrow(/NOPERM/);
    await expect(client.flushall()).rejects.toThrow(/NOPERM|permission/i);
  } finally {
    client.disconnect();
  }
});
