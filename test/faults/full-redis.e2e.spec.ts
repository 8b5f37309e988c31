import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Redis } from 'ioredis';
import { type Database } from '#infra/postgres';
import { viewSchema } from '#views/view-set';
import { type Admission, admitRequest, KeyClaims, RedisStore } from '#infra/redis';
import { createLogger, type Rate } from '#infra/runtime';
import { MemoryLog, signedHeaders, throwAwayDatabase, type ThrowAwayDatabase } from '#testing';
import { RedisServer } from '#infra/local-servers';
import {
  allowedAddress,
  askToken,
  issueCredential,
  privateKey,
  startEdge,
} from '../../libs/edges/api-v4/test/edge.js';
import { account } from '../../libs/edges/api-v4/test/ports.js';

const logger = createLogger({ app: 'spec', level: 'silent' });
const maxMemoryBytes = 64 * 2 ** 20;
/** A demo credential may have a rate that exceeds any memory. */
const demoRate: Rate = { limit: 1_000_000, intervalMs: 1000, burst: 1_000_000 };
/** More than fits into this Redis's memory, at some 500 bytes for a nonce and a claim. */
const requests = 150_000;
const atOnce = 2_000;

let directory: string;
let server: RedisServer;
let postgres: ThrowAwayDatabase;
let database: Database;
let replica: RedisStore;
let store: RedisStore;
let app: NestFastifyApplication;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pesapost-full-redis-'));
  server = await RedisServer.start({
    dataDir: directory,
    logFile: join(directory, 'redis.log'),
  });
  const admin = new Redis(server.url);
  await admin.config('SET', 'maxmemory', String(maxMemoryBytes));
  admin.disconnect();
  [replica, store] = await Promise.all([
    RedisStore.open({ url: server.url, logger, commandTimeoutMs: 10_000 }),
    RedisStore.open({ url: server.url, logger }),
  ]);
  postgres = await throwAwayDatabase();
  database = postgres.database.beside({ searchPath: [viewSchema()] });
  app = await startEdge(database, store, new MemoryLog());
  await database.query(`update checkpoint set fresh_at = now() + interval '1 hour'`);
});
afterAll(async () => {
  await app.close();
  await Promise.all([replica.close(), store.close(), database.close()]);
  await postgres.drop();
  await server.stop();
  await rm(directory, { recursive: true, force: true });
});

const tokenOf = async (credential: { clientId: string; clientSecret: string }) =>
  (await askToken(app, credential)).json<{ access_token: string }>().access_token;

function create(accessToken: string) {
  const [method, url] = ['POST', '/api/v4/collections'] as const;
  const body = JSON.stringify({
    account_no: account.accountNo,
    phone: '254712345678',
    amount_minor: 10_000,
    currency: 'KES',
    channel: 'mpesa',
    reference: randomUUID(),
  });
  const headers = {
    ...signedHeaders({ privateKey, accessToken }, { method, url, body }),
    'idempotency-key': randomUUID(),
  };
  return app.inject({ method, url, remoteAddress: allowedAddress, headers, payload: body });
}

describe('a credential that sends more than Redis can hold', () => {
  it('is refused at a quarter of it; all others are served all along', async () => {
    const [abuser, other] = [await issueCredential(database), await issueCredential(database)];
    const [abusersToken, othersToken] = [await tokenOf(abuser), await tokenOf(other)];
    const claims = new KeyClaims(replica);
    const kinds = new Set<string>();

    const under = { way: true };
    const flood = async () => {
      const request = async (): Promise<Admission['kind']> => {
        const { id: credentialId } = abuser;
        const nonce = randomUUID();
        const { kind } = await admitRequest(replica, { credentialId, nonce, rate: demoRate });
        if (kind === 'ok')
          await claims.claimKey({ credentialId, keyHash: nonce, value: 'x'.repeat(64) });
        return kind;
      };
      for (let sent = 0; sent < requests; sent += atOnce)
        for (const kind of await Promise.all(Array.from({ length: atOnce }, request)))
          kinds.add(kind);
    };
    const flooded = flood().finally(() => (under.way = false));
    const statuses: number[] = [];
    while (under.way) {
      statuses.push((await create(othersToken)).statusCode);
      await sleep(50);
    }
    await flooded;
    statuses.push((await create(othersToken)).statusCode);

    expect([...kinds].sort()).toEqual(['full', 'ok']);
    expect(statuses.length).toBeGreaterThan(3);
    expect(new Set(statuses)).toEqual(new Set([202]));
    const { usedBytes } = await store.memory();
    expect(usedBytes).toBeLessThan(maxMemoryBytes / 2);
    const refused = await create(abusersToken);
    expect([refused.statusCode, refused.json()]).toEqual([429, { error: 'rate_limited' }]);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(60);
  });
});
