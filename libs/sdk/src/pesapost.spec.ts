import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { isSigned, keys, ScriptedService, type Turn } from '../test/scripted-service.js';
import { PesaPost, PesaPostError, type PesaPostOptions } from './index.js';

let service: ScriptedService;
beforeEach(async () => {
  service = await ScriptedService.start();
});
afterEach(() => service.stop());

const client = (options: Partial<PesaPostOptions> = {}) =>
  new PesaPost({
    baseUrl: service.url,
    clientId: 'client-1',
    clientSecret: 'secret-1',
    privateKey: keys.private_key_pem,
    timeoutMs: 300,
    retries: { baseDelayMs: 1 },
    ...options,
  });
const collection = {
  account_no: '10000001',
  phone: '254712345678',
  amount_minor: 25_000,
  currency: 'KES',
  channel: 'mpesa',
  reference: 'INV/1',
} as const;
const accepted: Turn = {
  status: 202,
  headers: { 'X-PP-Ledger-Position': '41' },
  body: { status: 'pending', reference: 'INV/1', rail_reference: null, amount_minor: 25_000 },
};
const refused = (status: number, error: string, more: object = {}): Turn => ({
  status,
  body: { error, ...more },
  headers: { 'X-Request-Id': 'r-1' },
});
const retryAfter = (status: number, error: string, seconds: string): Turn => ({
  status,
  body: { error },
  headers: { 'Retry-After': seconds },
});
const item = (status: string): Turn => ({ status: 200, body: { status, amount_minor: 1 } });
const failureOf = async (call: Promise<unknown>): Promise<PesaPostError> => {
  const error: unknown = await call.catch((thrown: unknown) => thrown);
  if (!(error instanceof PesaPostError)) throw new Error(`no PesaPostError: ${String(error)}`);
  return error;
};

describe('a call', () => {
  it('carries token, signature and idempotency key, and gives amounts as bigint', async () => {
    service.turns = [accepted];
    const created = await client().collections.create(collection, { idempotencyKey: 'order-1' });
    expect(created).toMatchObject({ amount_minor: 25_000n, ledgerPosition: '41', replayed: false });
    const [request] = service.requests;
    expect(request).toMatchObject({
      method: 'POST',
      url: '/api/v4/collections',
      headers: {
        authorization: 'Bearer token-1',
        'content-type': 'application/json',
        'idempotency-key': 'order-1',
      },
    });
    expect(JSON.parse(request?.body ?? '')).toEqual(collection);
    expect(request && isSigned(request)).toBe(true);
    expect(service.tokenRequests[0]).toMatchObject({
      headers: { authorization: `Basic ${Buffer.from('client-1:secret-1').toString('base64')}` },
      body: 'grant_type=client_credentials',
    });
  });

  it('sends a bigint amount digit by digit, and refuses a number that is not exact', async () => {
    service.turns = [accepted];
    await client().collections.create({ ...collection, amount_minor: 9007199254740993n });
    expect(service.requests[0]?.body).toContain('"amount_minor":9007199254740993,');
    const halves = client().collections.create({ ...collection, amount_minor: 250.5 });
    await expect(halves).rejects.toThrow(RangeError);
    expect(service.requests).toHaveLength(1);
  });

  it('is signed over what is sent: an encoded path, a sorted query', async () => {
    service.turns = [item('pending'), { status: 200, body: { data: [], next_cursor: null } }];
    await client().collections.get('INV/1: ü');
    const filters = { to: '2026-01-31', from: '2026-01-01', cursor: "a+b'=", limit: 5 };
    await client().transactions.list(filters, { minPosition: '41' });
    const [get, list] = service.requests;
    expect(get?.url).toBe('/api/v4/collections/INV%2F1%3A%20%C3%BC');
    expect(list?.url).toBe(
      '/api/v4/transactions?cursor=a%2Bb%27%3D&from=2026-01-01&limit=5&to=2026-01-31',
    );
    expect(list?.headers['x-pp-min-position']).toBe('41');
    expect(service.requests.every(isSigned)).toBe(true);
  });

  it('does not follow a redirect, which would carry the credentials elsewhere', async () => {
    service.turns = [{ status: 307, body: {}, headers: { location: `${service.url}/elsewhere` } }];
    const error = await failureOf(client().collections.get('INV-1'));
    expect(error).toMatchObject({ code: 'unexpected_answer', status: 307, attempts: 1 });
    expect(service.requests).toHaveLength(1);
  });

  it('ends when the caller’s signal aborts, also between tries, with its reason', async () => {
    service.turns = [retryAfter(503, 'service_unavailable', '5')];
    const mine = new AbortController();
    const call = client().collections.get('INV-1', { signal: mine.signal });
    setTimeout(() => {
      mine.abort(new Error('the customer left'));
    }, 50);
    await expect(call).rejects.toThrow('the customer left');
    const late = client().collections.get('INV-1', { signal: mine.signal });
    await expect(late).rejects.toThrow('the customer left');
  });
});

describe('the token', () => {
  it('is fetched once, whoever waits for it', async () => {
    service.turns = [item('pending')];
    const one = client();
    await Promise.all(Array.from({ length: 10 }, () => one.collections.get('INV-1')));
    expect([service.requests.length, service.tokenRequests.length]).toEqual([10, 1]);
  });

  it('is renewed a minute before its end', async () => {
    service.turns = [item('pending')];
    let nowMs = Date.now();
    const one = client({ now: () => nowMs });
    await one.collections.get('INV-1');
    nowMs += 3_539_000;
    await one.collections.get('INV-1');
    expect(service.tokenRequests).toHaveLength(1);
    nowMs += 1_000;
    await one.collections.get('INV-1');
    expect(service.tokenRequests).toHaveLength(2);
    expect(service.requests.at(-1)?.headers['authorization']).toBe('Bearer token-2');
  });

  it('is renewed once where the service refuses it, by one request for all', async () => {
    service.turns = [item('pending')];
    const one = client();
    await one.collections.get('INV-1');
    const refusal = refused(401, 'invalid_token');
    service.turns = [refusal, refusal, refusal, item('completed')];
    const calls = Array.from({ length: 3 }, () => one.collections.get('INV-1'));
    for (const { status } of await Promise.all(calls)) expect(status).toBe('completed');
    expect(service.tokenRequests).toHaveLength(2);
  });

  it('is not renewed a second time in one call', async () => {
    service.turns = [refused(401, 'invalid_token')];
    const error = await failureOf(client().collections.get('INV-1'));
    expect(error).toMatchObject({ code: 'invalid_token', kind: 'authentication' });
    expect([service.requests.length, service.tokenRequests.length]).toEqual([2, 2]);
  });

  it('that cannot be had fails the call by its own error, and is asked for again by the next', async () => {
    service.turns = [item('pending')];
    service.tokenTurns = [refused(401, 'invalid_client')];
    const one = client();
    expect(await failureOf(one.collections.get('INV-1'))).toMatchObject({ code: 'invalid_client' });
    await expect(one.collections.get('INV-1')).resolves.toMatchObject({ status: 'pending' });
  });

  it('is asked for again within a call where its service was not to be reached', async () => {
    service.turns = [item('pending')];
    service.tokenTurns = ['cut the connection', refused(503, 'service_unavailable')];
    await expect(client().collections.get('INV-1')).resolves.toMatchObject({ status: 'pending' });
    expect(service.tokenRequests).toHaveLength(3);
  });
});

describe('a repeated try', () => {
  it.each<[string, Turn]>([
    ['a cut connection', 'cut the connection'],
    ['an answer cut short', 'begin and cut'],
    ['silence', 'say nothing'],
    ['429', refused(429, 'rate_limited')],
    ['429 of a proxy', { status: 429, body: '', text: '<html>' }],
    ['503', refused(503, 'service_unavailable')],
    ['503 of a proxy', { status: 503, body: '', text: '<html>' }],
    ['409 idempotency_in_progress', refused(409, 'idempotency_in_progress')],
  ])('after %s has the same key and body, a new nonce and its own signature', async (_, turn) => {
    service.turns = [turn, turn, accepted];
    await expect(client().collections.create(collection)).resolves.toMatchObject({
      status: 'pending',
    });
    const { requests } = service;
    expect(requests).toHaveLength(3);
    const distinct = (pick: (request: (typeof requests)[number]) => unknown) =>
      new Set(requests.map(pick)).size;
    expect(distinct(({ headers }) => headers['idempotency-key'])).toBe(1);
    expect(distinct(({ body }) => body)).toBe(1);
    expect(distinct(({ headers }) => headers['x-pp-nonce'])).toBe(3);
    expect(requests.every(isSigned)).toBe(true);
  });

  it.each<[number, string]>([
    [400, 'invalid_phone'],
    [401, 'nonce_reused'],
    [401, 'timestamp_expired'],
    [403, 'ip_not_allowed'],
    [404, 'not_found'],
    [413, 'payload_too_large'],
    [422, 'idempotency_key_reused'],
    [422, 'insufficient_funds'],
    [500, 'internal_error'],
    [502, 'rail_rejected'],
  ])('never follows %s %s', async (status, code) => {
    service.turns = [refused(status, code, { detail: 'why' })];
    const error = await failureOf(client().collections.create(collection));
    expect(error).toMatchObject({ code, status, detail: 'why', requestId: 'r-1', attempts: 1 });
    expect(service.requests).toHaveLength(1);
  });

  it('is made at most as often as the policy says; the error then tells the key to go on with', async () => {
    service.turns = ['cut the connection'];
    const retries = { max: 2, baseDelayMs: 1 };
    const error = await failureOf(client({ retries }).collections.create(collection));
    expect(error).toMatchObject({ code: 'network_failure', kind: 'network', attempts: 3 });
    expect(error.idempotencyKey).toBe(service.requests[0]?.headers['idempotency-key']);
    expect(error.cause).toMatchObject({ name: 'TypeError', message: 'fetch failed' });
  });

  it('takes the time of its own try', async () => {
    service.turns = ['cut the connection', accepted];
    let nowMs = 1_767_225_600_000;
    await client({ now: () => (nowMs += 1_000) }).collections.create(collection);
    const times = service.requests.map(({ headers }) => headers['x-pp-timestamp']);
    expect(new Set(times).size).toBe(2);
  });

  it('waits for Retry-After', async () => {
    service.turns = [retryAfter(429, 'rate_limited', '1'), accepted];
    const started = performance.now();
    await client().collections.create(collection);
    expect(performance.now() - started).toBeGreaterThanOrEqual(990);
  });

  it('is not made where Retry-After asks for longer than the policy; the error tells it', async () => {
    service.turns = [retryAfter(503, 'service_unavailable', '3600')];
    const error = await failureOf(client().collections.create(collection));
    expect(error).toMatchObject({ code: 'service_unavailable', retryAfterSeconds: 3600 });
    expect(service.requests).toHaveLength(1);
  });
});

describe('an error', () => {
  it('of silence says after how long', async () => {
    service.turns = ['say nothing'];
    const error = await failureOf(client({ retries: { max: 0 } }).collections.get('INV-1'));
    expect(error).toMatchObject({ code: 'timeout', kind: 'timeout', timeoutMs: 300 });
  });

  it('of a code that this version does not know keeps the code', async () => {
    service.turns = [refused(418, 'i_am_new', { detail: 'so it is' })];
    const error = await failureOf(client().collections.get('INV-1'));
    expect(error).toMatchObject({ code: 'unknown_code', kind: 'unknown', wireCode: 'i_am_new' });
  });

  it.each([
    ['a page of a proxy', 502, '<html>'],
    ['success that is no object', 200, '[]'],
    ['nothing', 200, ''],
    ['a code named like an Object’s member', 400, '{"error":{}}'],
  ])('of %s is unexpected', async (_, status, text) => {
    service.turns = [{ status, body: '', text }];
    const error = await failureOf(client().collections.get('INV-1'));
    expect(error).toMatchObject({ code: 'unexpected_answer', status });
  });

  it('never takes a member of every object for a code', async () => {
    service.turns = [refused(400, 'constructor')];
    const error = await failureOf(client().collections.get('INV-1'));
    expect(error).toMatchObject({ code: 'unknown_code', wireCode: 'constructor' });
  });
});

describe('waiting until a collection is settled', () => {
  it('asks until it is, through silence and trouble', async () => {
    const trouble = refused(503, 'service_unavailable');
    service.turns = [item('pending'), trouble, 'cut the connection', item('failed')];
    const { collections } = client({ retries: { max: 0 } });
    await expect(collections.waitUntilSettled('INV-1')).resolves.toMatchObject({
      status: 'failed',
    });
  });

  it('ends when its time is up, also in the middle of a request, and tells what it saw last', async () => {
    service.turns = [item('pending'), 'say nothing'];
    const started = performance.now();
    const wait = client({ timeoutMs: 60_000 }).collections.waitUntilSettled('INV-1', {
      timeoutMs: 900,
    });
    expect(await failureOf(wait)).toMatchObject({
      code: 'not_settled',
      reference: 'INV-1',
      last: { status: 'pending' },
      attempts: 2,
    });
    expect(performance.now() - started).toBeLessThan(3_000);
  });

  it('does not wait for what is not there', async () => {
    service.turns = [refused(404, 'not_found')];
    const error = await failureOf(client().collections.waitUntilSettled('INV-1'));
    expect(error.code).toBe('not_found');
  });
});

describe('the list', () => {
  const page = (references: string[], next_cursor: unknown): Turn => ({
    status: 200,
    body: { data: references.map((reference) => ({ reference })), next_cursor },
  });

  it('is walked item by item over all pages, with the filters on each', async () => {
    service.turns = [page(['A', 'B'], 'c1'), page([], 'c2'), page(['C'], null)];
    const seen: string[] = [];
    for await (const { reference } of client().transactions.all({ status: 'completed' }))
      seen.push(reference);
    expect(seen).toEqual(['A', 'B', 'C']);
    expect(service.requests.map(({ url }) => url.split('?')[1])).toEqual([
      'status=completed',
      'cursor=c1&status=completed',
      'cursor=c2&status=completed',
    ]);
  });

  it('asks for no page that nobody wants', async () => {
    service.turns = [page(['A', 'B'], 'c1')];
    const walk = client().transactions.all();
    expect((await walk.next()).value).toMatchObject({ reference: 'A' });
    await walk.return();
    expect(await walk.next()).toMatchObject({ done: true });
    expect(service.requests).toHaveLength(1);
  });

  it.each([['c1'], [undefined]])('is not followed for ever along %s', async (cursor) => {
    service.turns = [page(['A'], 'c1'), page(['B'], cursor)];
    const walk = client().transactions.pages();
    await walk.next();
    await walk.next();
    expect(await failureOf(walk.next())).toMatchObject({ code: 'unexpected_answer' });
    expect(service.requests).toHaveLength(2);
  });
});

describe('a client is not made', () => {
  it.each<[string, Partial<PesaPostOptions>, RegExp]>([
    ['of no URL', { baseUrl: 'api.example.com' }, /baseUrl is no URL/],
    ['of a base with a path', { baseUrl: 'https://example.com/api/v4' }, /adds \/api\/v4 itself/],
    ['of plain http to elsewhere', { baseUrl: 'http://api.example.com' }, /must be https/],
    ['of another scheme', { baseUrl: 'ftp://127.0.0.1' }, /must be https/],
    ['without an id', { clientId: '' }, /clientId is missing/],
    ['without a secret', { clientSecret: '' }, /clientSecret is missing/],
    ['without a key', { privateKey: '' }, /PKCS#8/],
    ['of a timeout of nothing', { timeoutMs: 0 }, /timeoutMs must be/],
    ['of a timeout that no timer holds', { timeoutMs: 2 ** 31 }, /timeoutMs must be/],
    ['of endless retries', { retries: { max: Infinity } }, /retries\.max/],
  ])('%s', (_, options, says) => {
    expect(() => client(options)).toThrow(says);
    expect(() => client(options)).toThrow(TypeError);
  });

  it('but over plain http to elsewhere where that was allowed', () => {
    expect(() => client({ baseUrl: 'http://api:8080', allowHttp: true })).not.toThrow();
  });
});
