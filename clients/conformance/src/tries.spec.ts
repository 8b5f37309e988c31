import { describe, expect, it } from '@jest/globals';
import { isSigned, type Turn } from '../../../libs/sdk/test/scripted-service.js';
import { describeEachClient, type Scene } from './scene.js';
import { accepted, answer, collection, header, raw, refused } from './turns.js';

const create = ['collections.create', [collection]] as const;
const noRetries = { retries: { max: 0 } };

const repeated: readonly (readonly [string, Turn])[] = [
  ['a connection that was cut', 'cut the connection'],
  ['an answer that was cut', 'begin and cut'],
  ['429', refused(429, 'rate_limited')],
  ['503', refused(503, 'service_unavailable')],
  ['503 of a proxy', raw(503, '<html>busy</html>')],
  ['409 idempotency_in_progress', refused(409, 'idempotency_in_progress')],
];

const final: readonly (readonly [number, string, string])[] = [
  [400, 'invalid_phone', 'request'],
  [401, 'timestamp_expired', 'authentication'],
  [401, 'nonce_reused', 'authentication'],
  [403, 'ip_not_allowed', 'authentication'],
  [404, 'not_found', 'not_found'],
  [422, 'idempotency_key_reused', 'idempotency'],
  [500, 'internal_error', 'service'],
  [502, 'rail_rejected', 'refused'],
];

describeEachClient((scene) => {
  describe('retries', () => {
    it.each(repeated)('repeats a call after %s (SDK-1, SDK-4, SDK-6)', async (_name, turn) => {
      scene.service.turns = [turn, accepted];
      const client = await scene.client();
      expect(await client.call(...create)).toMatchObject({ status: 'pending' });
      const { requests } = scene.service;
      expect(requests).toHaveLength(2);
      expect(requests.every(isSigned)).toBe(true);
      expect(new Set(requests.map(({ body }) => body)).size).toBe(1);
      expect(new Set(header(requests, 'idempotency-key')).size).toBe(1);
      expect(new Set(header(requests, 'x-pp-nonce')).size).toBe(2);
    });

    it.each(final)('does not repeat a call after %i %s (SDK-1)', async (status, code, kind) => {
      scene.service.turns = [refused(status, code), accepted];
      const client = await scene.client();
      const failure = await client.failure(...create);
      expect(failure).toMatchObject({ type: 'call', code, kind, status, attempts: 1 });
      expect(scene.service.requests).toHaveLength(1);
    });

    it('repeats a call 4 times at most (SDK-2)', async () => {
      scene.service.turns = [refused(503, 'service_unavailable')];
      const client = await scene.client();
      const failure = await client.failure(...create);
      expect(failure).toMatchObject({ code: 'service_unavailable', attempts: 5 });
      const { requests } = scene.service;
      expect(requests).toHaveLength(5);
      expect(header(requests, 'idempotency-key')).toEqual(
        Array(5).fill(failure['idempotency_key']),
      );
    });

    it.each([
      ['seconds', () => '2', 2_000],
      // A date has whole seconds, and the client rounds up.
      ['a date', () => new Date(Date.now() + 3_000).toUTCString(), 1_500],
    ])('waits as long as Retry-After asks, in %s (SDK-2)', async (_name, until, leastMs) => {
      const client = await scene.client();
      await client.call('accounts.balance', ['warm']).catch(() => undefined);
      scene.service.turns = [refused(429, 'rate_limited', { 'Retry-After': until() }), accepted];
      const began = performance.now();
      await client.call(...create);
      expect(performance.now() - began).toBeGreaterThan(leastMs);
    });

    it('fails at once if Retry-After is longer than the longest delay (SDK-2)', async () => {
      scene.service.turns = [refused(429, 'rate_limited', { 'Retry-After': '21' }), accepted];
      const client = await scene.client();
      const failure = await client.failure(...create);
      expect(failure).toMatchObject({ code: 'rate_limited', retry_after_seconds: 21, attempts: 1 });
    });
  });

  describe('deadlines', () => {
    it.each<Turn>(['say nothing', 'one byte at a time'])(
      'ends a try if the service does this beyond the limit: %s (SDK-3)',
      async (turn) => {
        scene.service.turns = [turn];
        const client = await scene.client({ timeout_ms: 500, ...noRetries });
        const failure = await client.failure(...create);
        expect(failure).toMatchObject({ code: 'timeout', kind: 'timeout', attempts: 1 });
        expect(failure['idempotency_key']).toBe(
          scene.service.requests[0]?.headers['idempotency-key'],
        );
      },
    );

    it('ends a request for a token too (SDK-3)', async () => {
      scene.service.tokenTurns = ['say nothing'];
      const client = await scene.client({ timeout_ms: 500, ...noRetries });
      expect(await client.failure(...create)).toMatchObject({ code: 'timeout' });
      expect(scene.service.requests).toEqual([]);
    });

    it('reports a service that cannot be reached as network_failure (SDK-11)', async () => {
      const client = await scene.client({ base_url: 'http://127.0.0.1:1', ...noRetries });
      expect(await client.failure(...create)).toMatchObject({
        code: 'network_failure',
        kind: 'network',
      });
    });
  });

  describe('idempotency keys', () => {
    it('sends the caller’s key (SDK-4)', async () => {
      scene.service.turns = [accepted];
      const client = await scene.client();
      await client.call(...create, { idempotency_key: 'order-1001' });
      expect(header(scene.service.requests, 'idempotency-key')).toEqual(['order-1001']);
    });

    it('makes another key for each call (SDK-4)', async () => {
      scene.service.turns = [accepted];
      const client = await scene.client();
      await client.call(...create);
      await client.call(...create);
      expect(new Set(header(scene.service.requests, 'idempotency-key')).size).toBe(2);
    });

    it.each(['', 'two words', 'é', 'x'.repeat(256)])(
      'refuses the key %j before anything is sent (SDK-4)',
      async (idempotency_key) => {
        const client = await scene.client();
        const failure = await client.failure(...create, { idempotency_key });
        expect(failure).toMatchObject({ type: 'mistake' });
        expect(scene.service.tokenRequests).toEqual([]);
      },
    );
  });

  describe('clock', () => {
    it('sends the caller’s time, and never corrects it (SDK-7)', async () => {
      const date = { Date: new Date().toUTCString() };
      scene.service.turns = [refused(401, 'timestamp_expired', date), accepted];
      const client = await scene.client({ now_ms: 1_767_225_600_000 });
      expect(await client.failure(...create)).toMatchObject({ code: 'timestamp_expired' });
      await client.call(...create);
      expect(header(scene.service.requests, 'x-pp-timestamp')).toEqual(Array(2).fill('1767225600'));
    });
  });

  describe('tokens', () => {
    tokens(scene);
  });

  describe('transport', () => {
    transport(scene);
  });
});

function tokens(scene: Scene): void {
  const invalid = refused(401, 'invalid_token');
  const bearer = () => header(scene.service.requests, 'authorization');

  it('are fetched once for calls that run at the same time (SDK-8)', async () => {
    scene.service.turns = [accepted];
    const client = await scene.client();
    await Promise.all(Array.from({ length: 16 }, () => client.call(...create)));
    const { requests, tokenRequests } = scene.service;
    expect([requests.length, tokenRequests.length]).toEqual([16, 1]);
    expect(requests.every(isSigned)).toBe(true);
    expect(new Set(header(requests, 'x-pp-nonce')).size).toBe(16);
    const [token] = tokenRequests;
    expect(token?.headers['authorization']).toBe(`Basic ${btoa('client-1:secret-1')}`);
    expect(token?.body).toBe('grant_type=client_credentials');
  });

  it('are renewed once after invalid_token, which is no retry (SDK-8)', async () => {
    scene.service.turns = [invalid, accepted];
    const client = await scene.client(noRetries);
    await client.call(...create);
    expect(bearer()).toEqual(['Bearer token-1', 'Bearer token-2']);
    expect(new Set(header(scene.service.requests, 'idempotency-key')).size).toBe(1);
  });

  it('are final if the new one is invalid too (SDK-8)', async () => {
    scene.service.turns = [invalid];
    const client = await scene.client();
    expect(await client.failure(...create)).toMatchObject({ code: 'invalid_token', attempts: 1 });
    expect(bearer()).toEqual(['Bearer token-1', 'Bearer token-2']);
  });

  it('are renewed when their life is over (SDK-8)', async () => {
    scene.service.turns = [accepted];
    scene.service.tokenTurns = [answer(200, { access_token: 'short', expires_in: 0 })];
    const client = await scene.client();
    await client.call(...create);
    await client.call(...create);
    expect(bearer()).toEqual(['Bearer short', 'Bearer token-2']);
  });

  it('report a wrong secret, and send no call (SDK-8)', async () => {
    scene.service.tokenTurns = [refused(401, 'invalid_client')];
    const client = await scene.client();
    expect(await client.failure(...create)).toMatchObject({ code: 'invalid_client', status: 401 });
    expect(scene.service.requests).toEqual([]);
  });

  it('are asked for again after an answer that is no token (SDK-8, SDK-11)', async () => {
    scene.service.tokenTurns = [answer(200, { access_token: 1 })];
    scene.service.turns = [accepted];
    const client = await scene.client();
    expect(await client.failure(...create)).toMatchObject({ code: 'unexpected_answer' });
    expect(await client.call(...create)).toMatchObject({ status: 'pending' });
  });
}

function transport(scene: Scene): void {
  it('follows no redirect (SDK-9)', async () => {
    const Location = `${scene.service.url}/elsewhere`;
    scene.service.turns = [answer(307, {}, { Location }), accepted];
    const client = await scene.client();
    const failure = await client.failure(...create);
    expect(failure).toMatchObject({ code: 'unexpected_answer', status: 307 });
    expect(scene.service.requests).toHaveLength(1);
  });

  it.each([
    'http://api.example.com',
    'http://127.0.0.1.example.com',
    'https://api.example.com/v4',
    'https://user@api.example.com',
    'ftp://127.0.0.1',
    'api.example.com',
  ])('refuses the base URL %s (SDK-9)', async (base_url) => {
    await expect(scene.client({ base_url })).rejects.toMatchObject({ facts: { type: 'mistake' } });
  });

  it('refuses a private key that is none, without showing it (SDK-10)', async () => {
    const damaged = '-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----';
    const use = async () => (await scene.client({ private_key_pem: damaged })).call(...create);
    const failure: unknown = await use().catch((error: unknown) => error);
    expect(failure).toMatchObject({ facts: { type: 'mistake' } });
    expect(JSON.stringify(failure)).not.toContain('c2VjcmV0');
  });

  it('puts no secret, token or signature into an error (SDK-10)', async () => {
    scene.service.turns = ['cut the connection'];
    const client = await scene.client(noRetries);
    const text = JSON.stringify(await client.failure(...create));
    const [request] = scene.service.requests;
    for (const secret of ['secret-1', 'token-1', request?.headers['x-pp-signature'] ?? ''])
      expect(text).not.toContain(secret);
  });
}
