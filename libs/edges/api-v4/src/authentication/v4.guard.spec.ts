import { generateKeyPairSync } from 'node:crypto';
import { type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { createHttpApp } from '#shared/http';
import { createLogger, Metrics } from '#infra/runtime';
import { answerToHeldBackBody, signedHeaders } from '#testing';
import {
  clock,
  credential,
  keys,
  nowMs,
  redis,
  SpecimenModule,
  token,
} from '../../test/specimen.js';
import { orderOfChecks } from '../reference/order-of-checks.js';

const otherKeys = generateKeyPairSync('rsa', { modulusLength: 2048 });
const nowSeconds = nowMs / 1000;

/** A valid request, as a list of parts that a test can spoil. */
interface Draft {
  token: string;
  address: string;
  timestamp: string;
  nonce: string;
  method: 'GET' | 'POST';
  url: string;
  /** Sent after the URL, but not signed. */
  unsigned: string;
  contentType: string | undefined;
  body: string | undefined;
  key: string | undefined;
  privateKey: typeof keys.privateKey;
  /** Applied to the headers last. */
  spoilHeaders: ((headers: Record<string, string>) => void)[];
}

const collection = {
  account_no: '1000000001',
  phone: '254712345678',
  amount_minor: 25000,
  currency: 'KES',
  channel: 'mpesa',
  reference: 'INV-1',
};

let sent = 0;
const draft = (): Draft => ({
  token,
  address: '198.51.100.7',
  timestamp: String(nowSeconds),
  nonce: `nonce-nonce-${String((sent += 1)).padStart(6, '0')}`,
  method: 'POST',
  url: '/money',
  unsigned: '',
  contentType: 'application/json',
  body: JSON.stringify(collection),
  key: 'key-1',
  privateKey: keys.privateKey,
  spoilHeaders: [],
});

let app: NestFastifyApplication;
beforeAll(async () => {
  app = await createHttpApp(SpecimenModule, {
    trustedProxies: ['127.0.0.1'],
    logger: createLogger({ app: 'test', level: 'silent' }),
    metrics: new Metrics(),
  });
  await app.init();
  await app.getHttpAdapter().getInstance().ready();
});
afterAll(() => app.close());
beforeEach(() => {
  Object.assign(redis, { nonceReused: false, limited: false, down: false, asked: 0 });
  Object.assign(redis, { failures: 0, maxFailures: Infinity, waitMicros: 90_000 });
});

async function send({ method, url, body, ...request }: Draft) {
  const headers = signedHeaders(
    { privateKey: request.privateKey, accessToken: request.token },
    {
      method,
      url,
      nonce: request.nonce,
      timestamp: request.timestamp,
      ...(body !== undefined && { body }),
    },
  );
  delete headers['content-type'];
  if (request.contentType !== undefined) headers['content-type'] = request.contentType;
  if (request.key !== undefined) headers['idempotency-key'] = request.key;
  for (const spoil of request.spoilHeaders) spoil(headers);
  return app.inject({
    method,
    url: url + request.unsigned,
    headers,
    remoteAddress: request.address,
    ...(body !== undefined && { payload: body }),
  });
}

const drop = (name: string) => (request: Draft) =>
  void request.spoilHeaders.push((headers) => {
    Reflect.deleteProperty(headers, name);
  });
const set = (name: string, value: string) => (request: Draft) =>
  void request.spoilHeaders.push((headers) => {
    headers[name] = value;
  });

/** Every way to fail, in the order of AUTH-1: rank, name, code and the change that causes it. */
const failures: readonly (readonly [number, string, string, (request: Draft) => void])[] = [
  [0, 'no token', 'invalid_token', drop('authorization')],
  [0, 'a token of another scheme', 'invalid_token', set('authorization', `Basic ${token}`)],
  [0, 'an unknown token', 'invalid_token', (request) => (request.token = 'unknown')],
  [0, 'an expired token', 'invalid_token', (request) => (request.token = 'an-old-token')],
  [1, 'a foreign address', 'ip_not_allowed', (request) => (request.address = '203.0.113.9')],
  [2, 'no signature', 'missing_signature', drop('x-pp-signature')],
  [2, 'no nonce', 'missing_signature', drop('x-pp-nonce')],
  [2, 'no timestamp', 'missing_signature', drop('x-pp-timestamp')],
  [3, 'an old timestamp', 'timestamp_expired', (r) => (r.timestamp = String(nowSeconds - 301))],
  [3, 'a timestamp ahead', 'timestamp_expired', (r) => (r.timestamp = String(nowSeconds + 301))],
  [3, 'a timestamp in words', 'timestamp_expired', (request) => (request.timestamp = 'now')],
  [4, 'another’s key', 'invalid_signature', (r) => (r.privateKey = otherKeys.privateKey)],
  [4, 'no base64', 'invalid_signature', set('x-pp-signature', '***')],
  [4, 'a query that cannot be read', 'invalid_signature', (r) => (r.unsigned = '?q=%')],
  [5, 'a short nonce', 'invalid_nonce', (request) => (request.nonce = 'x'.repeat(15))],
  [5, 'a long nonce', 'invalid_nonce', (request) => (request.nonce = 'x'.repeat(65))],
  [5, 'a nonce with a dot', 'invalid_nonce', (request) => (request.nonce = 'x.'.repeat(10))],
  [6, 'a nonce seen before', 'nonce_reused', () => (redis.nonceReused = true)],
  [7, 'too many requests', 'rate_limited', () => (redis.limited = true)],
  [8, 'no media type', 'unsupported_media_type', (request) => (request.contentType = undefined)],
  [8, 'another media type', 'unsupported_media_type', (r) => (r.contentType = 'text/json')],
  [9, 'no JSON', 'invalid_request', (request) => (request.body = '{"a":')],
  [9, 'an empty body', 'invalid_request', (request) => (request.body = '')],
  [9, 'a list', 'invalid_request', (request) => (request.body = '[]')],
  [9, 'null', 'invalid_request', (request) => (request.body = 'null')],
  [10, 'no key', 'missing_idempotency_key', (request) => (request.key = undefined)],
  [10, 'a key with a space', 'invalid_idempotency_key', (request) => (request.key = 'a b')],
  [11, 'a body without fields', 'invalid_account', (request) => (request.body = '{}')],
];

describe('a signed request', () => {
  it('passes if it is valid, and its caller is known', async () => {
    const answer = await send(draft());
    expect(answer.statusCode).toBe(202);
    expect(answer.json()).toMatchObject({
      idempotencyKey: 'key-1',
      holder: 'till',
      reference: 'INV-1',
      evidence: {
        method: 'POST',
        path: '/money',
        query: '',
        timestamp: String(nowSeconds),
        keyFingerprint: credential.publicKey.fingerprint,
      },
    });
  });

  it.each([
    [-300, 0, 202],
    [-300, 1, 401],
    [300, 0, 202],
    [300, -1, 401],
  ])(
    'dated %d s away, by a clock that is %d ms later, is answered with %d',
    async (away, ms, status) => {
      clock.nowMs = nowMs + ms;
      const answer = await send({ ...draft(), timestamp: String(nowSeconds + away) });
      clock.nowMs = nowMs;
      expect(answer.statusCode).toBe(status);
    },
  );

  it.each(['', '-1', '+1', '1e9', '0x1', '1795262400000', ' ', '１'])(
    'needs a timestamp in whole seconds, unlike %j',
    async (timestamp) => {
      const request = draft();
      request.spoilHeaders.push((headers) => {
        headers['x-pp-timestamp'] = timestamp;
      });
      const { error } = (await send(request)).json<{ error: string }>();
      expect(error).toBe(timestamp === '' ? 'missing_signature' : 'timestamp_expired');
    },
  );

  it('is signed over all its bytes, including those of a read', async () => {
    const read: Draft = { ...draft(), method: 'GET', url: '/money', body: '{"a":1}' };
    expect((await send(read)).statusCode).toBe(200);
    const headers = signedHeaders(
      { privateKey: keys.privateKey, accessToken: token },
      { method: 'GET', url: '/money', nonce: draft().nonce, timestamp: String(nowSeconds) },
    );
    const other = await app.inject({
      method: 'GET',
      url: '/money',
      headers,
      remoteAddress: '198.51.100.7',
      payload: 'not signed',
    });
    expect(other.json()).toMatchObject({ error: 'invalid_signature' });
  });

  it('needs neither body nor key if it is a read', async () => {
    const request: Draft = {
      ...draft(),
      method: 'GET',
      url: '/money?limit=7&type=payout',
      body: undefined,
      contentType: undefined,
      key: undefined,
    };
    expect((await send(request)).json()).toEqual({ limit: '7', type: 'payout' });
  });

  it('covers the query', async () => {
    const request: Draft = {
      ...draft(),
      method: 'GET',
      url: '/money',
      unsigned: '?limit=7',
      body: undefined,
    };
    expect((await send(request)).json()).toMatchObject({ error: 'invalid_signature' });
  });
});

describe('authentication', () => {
  it.each(failures)('%# refuses (%i) %s as %s', async (_rank, _name, code, spoil) => {
    const request = draft();
    spoil(request);
    const answer = await send(request);
    expect(answer.json<{ error: string }>().error).toBe(code);
  });

  it('answers every pair of failures with the one that the contract checks first', async () => {
    for (const [rank, name, code, spoil] of failures) {
      for (const [laterRank, laterName, , spoilLater] of failures) {
        if (laterRank <= rank) continue;
        Object.assign(redis, { nonceReused: false, limited: false });
        const request = draft();
        spoilLater(request);
        spoil(request);
        const answer = await send(request);
        const { error } = answer.json<{ error: string }>();
        expect(`${name} and ${laterName}: ${error}`).toBe(`${name} and ${laterName}: ${code}`);
      }
    }
  });

  it('is documented in the reference in exactly this order', () => {
    const codes = [...new Set(failures.map(([, , code]) => code))];
    const told = orderOfChecks.flatMap(({ refusals }) => refusals);
    // The fields come last and belong to their routes.
    expect([...told, 'invalid_account']).toEqual(codes);
  });

  it('uses up a nonce only after the signature verified', async () => {
    for (const [rank, , , spoil] of failures) {
      if (rank > 5) continue;
      const request = draft();
      spoil(request);
      await send(request);
    }
    expect(redis.asked).toBe(0);
  });

  it('fails closed if the nonce cannot be recorded', async () => {
    redis.down = true;
    const answer = await send(draft());
    expect([answer.statusCode, answer.json()]).toEqual([503, { error: 'service_unavailable' }]);
    expect(answer.headers['retry-after']).toBeDefined();
  });

  it('returns headers that say how to continue', async () => {
    const unknown = await send({ ...draft(), token: 'unknown' });
    expect(unknown.headers['www-authenticate']).toBe('Bearer error="invalid_token"');
    redis.limited = true;
    const limited = await send(draft());
    expect(limited.headers).toMatchObject({
      'retry-after': '2',
      'ratelimit-policy': '"credential";q=100;w=1',
      ratelimit: '"credential";r=0;t=2',
    });
  });

  it('reports the remaining rate on every answer whose request was counted', async () => {
    const state = {
      'ratelimit-policy': '"credential";q=100;w=1',
      ratelimit: '"credential";r=199;t=1',
    };
    expect((await send(draft())).headers).toMatchObject(state);
    const later = await send({ ...draft(), body: '[]' });
    expect([later.statusCode, later.headers]).toMatchObject([400, state]);
    expect((await send({ ...draft(), nonce: 'short' })).headers['ratelimit']).toBeUndefined();
  });
});

describe('a source that fails too often', () => {
  it('is answered with a wait instead of the reason; an authenticated caller is not counted', async () => {
    redis.maxFailures = 0;
    const old = (): Draft => ({ ...draft(), timestamp: '1' });
    const refused = await send(old());
    expect([refused.statusCode, refused.json()]).toEqual([429, { error: 'rate_limited' }]);
    expect(refused.headers['retry-after']).toBe('1');
    expect((await send(draft())).statusCode).toBe(202);
    expect(redis.failures).toBe(1);
  });

  it('costs no round trip for further failures until its time is over', async () => {
    Object.assign(redis, { maxFailures: 0, waitMicros: 60_000_000 });
    const unknown = (address: string): Draft => ({ ...draft(), token: 'unknown', address });
    expect((await send(unknown('203.0.113.77'))).statusCode).toBe(429);
    const counted = redis.failures;
    expect((await send(unknown('203.0.113.77'))).statusCode).toBe(429);
    expect(redis.failures).toBe(counted);
    redis.waitMicros = 90_000;
    expect((await send(unknown('203.0.113.78'))).statusCode).toBe(429);
    expect(redis.failures).toBe(counted + 1);
    redis.maxFailures = Infinity;
    await sleep(100);
    const { [0]: over, [1]: waits } = await Promise.all(
      ['203.0.113.78', '203.0.113.77'].map((address) => send(unknown(address))),
    );
    expect(over?.json()).toEqual({ error: 'invalid_token' });
    expect(waits?.statusCode).toBe(429);
  });

  it('counts no failure of a caller who holds the key', async () => {
    redis.nonceReused = true;
    await send(draft());
    redis.nonceReused = false;
    await send({ ...draft(), key: undefined });
    expect(redis.failures).toBe(0);
  });
});

describe('a body that its sender holds back', () => {
  beforeAll(() => app.listen(0, '127.0.0.1'));

  const answered = (of: string, from: string): Promise<string> => {
    const { port } = app.getHttpServer().address() as AddressInfo;
    const headers = { Authorization: `Bearer ${of}`, 'X-Forwarded-For': from };
    return answerToHeldBackBody(port, '/money', { ...headers, 'Content-Type': 'application/json' });
  };

  it('is requested after the token and the address are checked, and not before (AUTH-1)', async () => {
    expect(await answered('unknown', '198.51.100.7')).toBe('HTTP/1.1 401 Unauthorized');
    expect(await answered(token, '203.0.113.9')).toBe('HTTP/1.1 403 Forbidden');
    expect(await answered(token, '198.51.100.7')).toBe('HTTP/1.1 100 Continue');
  });

  it('does not pass if the token has ended meanwhile (AUTH-25)', async () => {
    const { port } = app.getHttpServer().address() as AddressInfo;
    const request = { ...draft(), body: JSON.stringify(collection) };
    const signed = signedHeaders({ privateKey: keys.privateKey, accessToken: token }, request);
    const headers = { ...signed, 'X-Forwarded-For': '198.51.100.7', 'Idempotency-Key': 'k' };
    const sentAfter = (after: () => unknown) =>
      answerToHeldBackBody(port, '/money', headers, { body: request.body, after });
    expect(await sentAfter(() => undefined)).toBe('HTTP/1.1 202 Accepted');
    try {
      expect(await sentAfter(() => (clock.nowMs += 2000))).toBe('HTTP/1.1 401 Unauthorized');
    } finally {
      clock.nowMs = nowMs;
    }
  });
});
