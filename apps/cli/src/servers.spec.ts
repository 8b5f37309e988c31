import { expect, it } from '@jest/globals';
import { loadSettings } from '#infra/runtime';
import { serversOf } from './servers.js';

it('a command connects past a pooler, because it may lock and fill temporary tables', async () => {
  const env = {
    EVENTSTORE_URL: 'esdb://h:2113?tls=false',
    DATABASE_URL: 'postgres://pooler/d',
    MASTER_KEY: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
  };
  const urlOf = async (given: Readonly<Record<string, string>>): Promise<string> =>
    (await serversOf(loadSettings(given))).databaseUrl;
  expect(await urlOf(env)).toBe('postgres://pooler/d');
  expect(await urlOf({ ...env, DATABASE_DIRECT_URL: 'postgres://db/d' })).toBe('postgres://db/d');
});
