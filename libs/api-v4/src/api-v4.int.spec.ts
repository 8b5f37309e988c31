import { createPrivateKey, randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type PushOutcome, type QueryOutcome, Rail } from '#collections';
import { createHttpApp } from '#http';
import { Clock } from '#kernel';
import { MerchantDirectory } from '#merchants';
import {
  Database,
  insertClientSecret,
  RecordedCredentialSecrets,
  revokeCredentialRecords,
} from '#postgres';
import { CachedMerchantDirectory, createViews, viewSchema } from '#read-models';
import { RedisStore } from '#redis';
import { createLogger, Metrics, SystemClock } from '#runtime';
import { hashSecret, Keyring } from '#signing';
import { redisNamespace, signedHeaders, throwAwayDatabase, type ThrowAwayDatabase } from '#testing';
import { ApiV4Module, ApiV4Options } from './index.js';

const vectors = JSON.parse(
  readFileSync(new URL('../../signing/vectors.json', import.meta.url), 'utf8'),
) as { public_key_pem: string; private_key_pem: string };
const privateKey = createPrivateKey(vectors.private_key_pem);
const logger = createLogger({ app: 'test', level: 'silent' });

class DemoRail extends Rail {
  override limits = () => ({ maxMinor: 25_000_000n, stepMinor: 1n, currencies: ['KES'] });
  override push = (): Promise<PushOutcome> => Promise.reject(new Error('nobody pushes here'));
  override query = (): Promise<QueryOutcome> => Promise.reject(new Error('nobody asks here'));
}

let postgres: ThrowAwayDatabase;
let redis: RedisStore;
let app: NestFastifyApplication;

beforeAll(async () => {
  postgres = await throwAwayDatabase({ searchPath: [viewSchema()] });
  redis = new RedisStore({ ...redisNamespace(), logger });
  await redis.start();
  await createViews(postgres.database, viewSchema());
  await postgres.database.query(
    `insert into merchants values ('m1', 'Duka', 'Africa/Nairobi', 'KE')`,
  );
  await postgres.database.query(`insert into accounts values ('1000000001', 'm1', 'demo', 'KES')`);
  app = await createHttpApp(edge(), { trustedProxies: [], logger, metrics: new Metrics() });
  await app.init();
  await app.getHttpAdapter().getInstance().ready();
});
afterAll(async () => {
  await app.close();
  await redis.close();
  await postgres.drop();
});

function edge() {
  const providers = [
    { provide: Clock, useValue: new SystemClock(0) },
    { provide: Database, useValue: postgres.database },
    { provide: RedisStore, useValue: redis },
    { provide: Keyring, useValue: Keyring.from([{ id: 'k', bytes: randomBytes(32) }]) },
    {
      provide: ApiV4Options,
      useValue: new ApiV4Options({ limit: 10_000, intervalMs: 1000, burst: 10_000 }, 60_000),
    },
    { provide: MerchantDirectory, useValue: new CachedMerchantDirectory(postgres.database) },
    { provide: Rail, useClass: DemoRail },
  ];
  @Module({ providers, exports: providers })
  class Servers {}
  @Module({ imports: [{ module: Servers, global: true }, ApiV4Module] })
  class Edge {}
  return Edge;
}

/** A credential as the projector and the operator's command leave it behind. */
async function issueCredential(): Promise<{ id: string; clientId: string; clientSecret: string }> {
  const id = randomUUID();
  const secrets = new RecordedCredentialSecrets(postgres.database);
  const { clientId, clientSecret } = await secrets.issue(id);
  await postgres.database.query(
    `insert into credentials values ($1, 'm1', 'v4', 'demo', 'till', $2, $3, $4, null, false)`,
    [id, clientId, vectors.public_key_pem, ['198.51.100.0/24']],
  );
  return { id, clientId, clientSecret };
}

const viewsAre = (age: string | null) =>
  postgres.database.query(`update checkpoint set fresh_at = now() - $1::interval`, [age]);

const inside = '198.51.100.7';

function askToken(
  clientId: string,
  clientSecret: string,
  {
    address = inside,
    form = 'grant_type=client_credentials',
    type = 'application/x-www-form-urlencoded',
  } = {},
) {
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  return app.inject({
    method: 'POST',
    url: '/api/v4/oauth/token',
    remoteAddress: address,
    headers: { authorization: `Basic ${basic}`, 'content-type': type },
    payload: form,
  });
}

async function signIn(): Promise<{ id: string; accessToken: string }> {
  const { id, clientId, clientSecret } = await issueCredential();
  const answer = await askToken(clientId, clientSecret);
  return { id, accessToken: answer.json<{ access_token: string }>().access_token };
}

function call(accessToken: string, method: 'GET' | 'POST', url: string, body?: string) {
  const request = { method, url, ...(body !== undefined && { body }) };
  return app.inject({
    method,
    url,
    remoteAddress: inside,
    headers: {
      ...signedHeaders({ privateKey, accessToken }, request),
      ...(method === 'POST' && { 'idempotency-key': randomUUID() }),
    },
    ...(body !== undefined && { payload: body }),
  });
}

beforeEach(async () => {
  await viewsAre('0 s');
});

describe('the token endpoint', () => {
  it('gives a token that lets requests in, and is stored as its digest alone', async () => {
    const { clientId, clientSecret } = await issueCredential();
    const answer = await askToken(clientId, clientSecret);
    const { access_token: token, ...rest } = answer.json<{ access_token: string }>();
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(rest).toEqual({ token_type: 'Bearer', expires_in: 3600 });
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect((await call(token, 'GET', '/api/v4/transactions')).statusCode).toBe(200);
    const [row] = await postgres.database.query(
      `select extract(epoch from expires_at - now())::int as life from records.access_tokens where token_hash = $1`,
      [hashSecret(token)],
    );
    expect(row?.['life']).toBeGreaterThan(3590);
  });

  it('gives another token that ends no other', async () => {
    const { clientId, clientSecret } = await issueCredential();
    const tokens = await Promise.all([1, 2].map(() => askToken(clientId, clientSecret)));
    for (const token of tokens) {
      const { access_token } = token.json<{ access_token: string }>();
      expect((await call(access_token, 'GET', '/api/v4/transactions')).statusCode).toBe(200);
    }
  });

  it.each([
    ['a wrong secret', (id: string) => [id, 'wrong']],
    ['an unknown client', () => ['nobody', 'x']],
    ['no secret', (id: string) => [id, '']],
  ])('refuses %s as invalid_client', async (_, spoil) => {
    const { clientId } = await issueCredential();
    const [id = '', secret = ''] = spoil(clientId);
    const answer = await askToken(id, secret);
    expect([answer.statusCode, answer.json()]).toEqual([401, { error: 'invalid_client' }]);
    expect(answer.headers['www-authenticate']).toMatch(/^Basic /);
  });

  it('refuses an address outside the credential’s list', async () => {
    const { clientId, clientSecret } = await issueCredential();
    const answer = await askToken(clientId, clientSecret, { address: '203.0.113.1' });
    expect([answer.statusCode, answer.json()]).toEqual([403, { error: 'ip_not_allowed' }]);
  });

  it.each([
    ['grant_type=password', 400, 'unsupported_grant_type'],
    ['grant_type=client_credentials&grant_type=client_credentials', 400, 'invalid_request'],
    ['', 400, 'invalid_request'],
  ])('answers the form %j with %i %s', async (form, status, error) => {
    const { clientId, clientSecret } = await issueCredential();
    const answer = await askToken(clientId, clientSecret, { form });
    expect([answer.statusCode, answer.json()]).toMatchObject([status, { error }]);
  });

  it('takes a form and nothing else', async () => {
    const { clientId, clientSecret } = await issueCredential();
    const answer = await askToken(clientId, clientSecret, { type: 'application/json' });
    expect(answer.statusCode).toBe(415);
  });

  it('refuses a client from an address for a minute after ten failures; from elsewhere it may go on', async () => {
    const { clientId, clientSecret } = await issueCredential();
    for (let failure = 1; failure <= 10; failure += 1)
      expect((await askToken(clientId, 'wrong')).statusCode).toBe(401);
    const refused = await askToken(clientId, clientSecret);
    expect([refused.statusCode, refused.json()]).toEqual([429, { error: 'rate_limited' }]);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(50);
    const elsewhere = await askToken(clientId, clientSecret, { address: '198.51.100.8' });
    expect(elsewhere.statusCode).toBe(200);
  });

  it('does not fail for a credential that the views do not know yet', async () => {
    await insertClientSecret(postgres.database, {
      clientId: 'early',
      credentialId: randomUUID(),
      secretHash: hashSecret('secret'),
    });
    expect((await askToken('early', 'secret')).statusCode).toBe(401);
    await viewsAre(null);
    expect((await askToken('early', 'secret')).statusCode).toBe(503);
  });
});

describe('a revocation', () => {
  it('ends tokens within a second, on a process that has just served them', async () => {
    const { id, accessToken } = await signIn();
    expect((await call(accessToken, 'GET', '/api/v4/transactions')).statusCode).toBe(200);
    await revokeCredentialRecords(postgres.database, id);
    const giveUpAt = Date.now() + 1000;
    let status = 200;
    while (status === 200 && Date.now() < giveUpAt)
      status = (await call(accessToken, 'GET', '/api/v4/transactions')).statusCode;
    expect(status).toBe(401);
  });
});

describe('every signed route', () => {
  const routes = [
    ['POST', '/api/v4/collections'],
    ['GET', '/api/v4/collections/INV-1'],
    ['GET', '/api/v4/transactions'],
    ['GET', '/api/v4/accounts/1000000001/balance'],
  ] as const;

  it('is one of these', () => {
    const printed = app.getHttpAdapter().getInstance().printRoutes({ commonPrefix: false });
    const found = printed.match(/(GET|POST|PUT|PATCH|DELETE)/g) ?? [];
    // The token endpoint is the one that is not signed.
    expect(found).toHaveLength(routes.length + 1);
  });

  it.each(routes)('%s %s refuses who brings no token', async (method, url) => {
    const answer = await app.inject({ method, url, remoteAddress: inside });
    expect([answer.statusCode, answer.json()]).toEqual([401, { error: 'invalid_token' }]);
  });

  it.each(routes.filter(([method]) => method === 'POST'))(
    '%s %s refuses {} with 400',
    async (method, url) => {
      const { accessToken } = await signIn();
      const answer = await call(accessToken, method, url, '{}');
      expect(answer.statusCode).toBe(400);
      expect(answer.json()).toMatchObject({ error: 'invalid_account' });
    },
  );

  it('refuses a nonce that it has seen', async () => {
    const { accessToken } = await signIn();
    const url = '/api/v4/transactions';
    const headers = signedHeaders({ privateKey, accessToken }, { method: 'GET', url });
    const send = () => app.inject({ url, headers, remoteAddress: inside });
    expect((await send()).statusCode).toBe(200);
    expect((await send()).json()).toEqual({ error: 'nonce_reused' });
  });
});

describe('reading', () => {
  it('an empty list says that it is all, and how fresh it is', async () => {
    const { accessToken } = await signIn();
    const answer = await call(accessToken, 'GET', '/api/v4/transactions?limit=5');
    expect(answer.json()).toEqual({ data: [], next_cursor: null });
    expect(answer.headers['x-pp-ledger-position']).toBe('0');
    expect(answer.headers['x-pp-ledger-time']).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  });

  it('a balance of an account without money is all zeros', async () => {
    const { accessToken } = await signIn();
    const answer = await call(accessToken, 'GET', '/api/v4/accounts/1000000001/balance');
    expect(answer.json()).toEqual({
      account_no: '1000000001',
      currency: 'KES',
      posted_minor: 0,
      reserved_minor: 0,
      available_minor: 0,
    });
  });

  it.each(['1000000002', '%00', 'x'])('the account %s is not found', async (account) => {
    const { accessToken } = await signIn();
    const answer = await call(accessToken, 'GET', `/api/v4/accounts/${account}/balance`);
    expect([answer.statusCode, answer.json()]).toEqual([404, { error: 'not_found' }]);
  });

  it.each(['a%20b', '%00', '~', '%F0%9F%92%B8'])(
    'what cannot be a reference (%s) is not found',
    async (reference) => {
      const { accessToken } = await signIn();
      const answer = await call(accessToken, 'GET', `/api/v4/collections/${reference}`);
      expect([answer.statusCode, answer.json()]).toEqual([404, { error: 'not_found' }]);
    },
  );

  it('is refused while the views are built or too old: an empty list would be a lie', async () => {
    const { accessToken } = await signIn();
    for (const age of [null, '61 s']) {
      await viewsAre(age);
      for (const url of ['/api/v4/transactions', '/api/v4/accounts/1000000001/balance']) {
        const answer = await call(accessToken, 'GET', url);
        expect([answer.statusCode, answer.json()]).toEqual([503, { error: 'service_unavailable' }]);
      }
    }
  });
});
