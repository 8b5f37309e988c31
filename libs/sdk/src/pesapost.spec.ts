import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  accepted,
  clientOf,
  collection,
  failureOf,
  item,
  refused,
  retryAfter,
} from '../test/fixtures.js';
import { isSigned, ScriptedService } from '../test/scripted-service.js';
import { type PesaPostOptions } from './options.js';

let service: ScriptedService;
beforeEach(async () => {
  service = await ScriptedService.start();
});
afterEach(() => service.stop());

const client = (options: Partial<PesaPostOptions> = {}) => clientOf(service, options);

describe('a call', () => {
  it('sends token, signature and idempotency key, and returns amounts as bigint', async () => {
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

  it('has a random UUID as its nonce, and as its key if the caller gave none (SDK-4, SDK-6)', async () => {
    service.turns = [accepted];
    const one = client();
    for (let call = 0; call < 2; call += 1) await one.collections.create(collection);
    const made = service.requests.flatMap(({ headers }) => [
      headers['x-pp-nonce'],
      headers['idempotency-key'],
    ]);
    expect(new Set(made).size).toBe(4);
    const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
    expect(made.filter((text) => !uuid.test(text ?? ''))).toEqual([]);
  });

  it('is rejected if its reference belongs to another collection, and reports which fields differ', async () => {
    service.turns = [
      {
        status: 202,
        headers: { 'X-PP-Existing': 'true', 'X-PP-Differs': 'phone, amount_minor' },
        body: {
          status: 'completed',
          reference: 'INV/1',
          rail_reference: null,
          amount_minor: 9_900,
        },
      },
    ];
    const error = await failureOf(client().collections.create(collection));
    expect(error).toMatchObject({
      code: 'different_collection',
      kind: 'refused',
      differs: ['phone', 'amount_minor'],
      existing: { status: 'completed', amount_minor: 9_900n, existing: true },
    });
    expect(error.message).toContain('phone, amount_minor');
  });

  it('returns the existing collection if nothing differs', async () => {
    service.turns = [
      {
        status: 202,
        headers: { 'X-PP-Existing': 'true' },
        body: { status: 'pending', reference: 'INV/1', rail_reference: null, amount_minor: 25_000 },
      },
    ];
    expect(await client().collections.create(collection)).toMatchObject({ existing: true });
  });

  it('sends a bigint amount exactly, and rejects an inexact number', async () => {
    service.turns = [accepted];
    await client().collections.create({ ...collection, amount_minor: 9007199254740993n });
    expect(service.requests[0]?.body).toContain('"amount_minor":9007199254740993,');
    const halves = client().collections.create({ ...collection, amount_minor: 250.5 });
    await expect(halves).rejects.toThrow(RangeError);
    expect(service.requests).toHaveLength(1);
  });

  it('is signed over what is sent: an encoded path and a sorted query', async () => {
    service.turns = [item('pending'), { status: 200, body: { data: [], next_cursor: null } }];
    await client().collections.get('INV/1: ü');
    const filters = { to: '2026-01-31', from: '2026-01-01', cursor: "a+b'=", limit: 5 };
    await client().transactions.list(filters, { minPosition: '41', atPosition: '40' });
    const [get, list] = service.requests;
    expect(get?.url).toBe('/api/v4/collections/INV%2F1%3A%20%C3%BC');
    expect(list?.url).toBe(
      '/api/v4/transactions?cursor=a%2Bb%27%3D&from=2026-01-01&limit=5&to=2026-01-31',
    );
    expect(list?.headers['x-pp-min-position']).toBe('41');
    expect(list?.headers['x-pp-at-position']).toBe('40');
    expect(service.requests.every(isSigned)).toBe(true);
  });

  it('keeps members unknown to this version, and passes on new values', async () => {
    const body = { status: 'on_hold', amount_minor: 1, colour: { shade_minor: 7, name: 'red' } };
    service.turns = [{ status: 200, body }];
    expect(await client().collections.get('INV-1')).toEqual({
      status: 'on_hold',
      amount_minor: 1n,
      colour: { shade_minor: 7n, name: 'red' },
    });
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

describe('an error', () => {
  it('reports the timeout after which no answer came', async () => {
    service.turns = ['say nothing'];
    const hurried = client({ retries: { max: 0 }, timeoutMs: 300 });
    const error = await failureOf(hurried.collections.get('INV-1'));
    expect(error).toMatchObject({ code: 'timeout', kind: 'timeout', timeoutMs: 300 });
  });

  it('keeps a code that is unknown to this version', async () => {
    service.turns = [refused(418, 'i_am_new', { detail: 'so it is' })];
    const error = await failureOf(client().collections.get('INV-1'));
    expect(error).toMatchObject({ code: 'unknown_code', kind: 'unknown', wireCode: 'i_am_new' });
  });

  it.each([
    ['a page of a proxy', 502, '<html>'],
    ['success that is no object', 200, '[]'],
    ['nothing', 200, ''],
    ['a code named like an Object’s member', 400, '{"error":{}}'],
  ])('is unexpected for %s', async (_, status, text) => {
    service.turns = [{ status, body: '', text }];
    const error = await failureOf(client().collections.get('INV-1'));
    expect(error).toMatchObject({ code: 'unexpected_answer', status });
  });

  it('contains no secret in its text or its members', async () => {
    const secrets = ['secret-1', 'token-1', 'PRIVATE KEY'];
    for (const turn of ['cut the connection', refused(401, 'invalid_signature')] as const) {
      service.turns = [turn];
      const shown = inspect(
        await failureOf(client({ retries: { max: 0 } }).collections.create(collection)),
        { depth: 20 },
      );
      expect(secrets.filter((secret) => shown.includes(secret))).toEqual([]);
    }
  });

  it('does not mistake a member of every object for a code', async () => {
    service.turns = [refused(400, 'constructor')];
    const error = await failureOf(client().collections.get('INV-1'));
    expect(error).toMatchObject({ code: 'unknown_code', wireCode: 'constructor' });
  });
});

describe('a client is not created', () => {
  it.each<[string, Partial<PesaPostOptions>, RegExp]>([
    ['with a base that is no URL', { baseUrl: 'api.example.com' }, /baseUrl is no URL/],
    [
      'with a base that has a path',
      { baseUrl: 'https://example.com/api/v4' },
      /adds \/api\/v4 itself/,
    ],
    ['with plain http to elsewhere', { baseUrl: 'http://api.example.com' }, /must be https/],
    ['with another scheme', { baseUrl: 'ftp://127.0.0.1' }, /must be https/],
    ['without an id', { clientId: '' }, /clientId is missing/],
    ['without a secret', { clientSecret: '' }, /clientSecret is missing/],
    ['without a key', { privateKey: '' }, /PKCS#8/],
    ['with a timeout of zero', { timeoutMs: 0 }, /timeoutMs must be/],
    ['with a timeout that no timer holds', { timeoutMs: 2 ** 31 }, /timeoutMs must be/],
    ['with endless retries', { retries: { max: Infinity } }, /retries\.max/],
    ['with more than 20 retries', { retries: { max: 21 } }, /retries\.max/],
  ])('%s', (_, options, says) => {
    expect(() => client(options)).toThrow(says);
    expect(() => client(options)).toThrow(TypeError);
  });

  it('with plain http to another host, unless allowHttp is set', () => {
    expect(() => client({ baseUrl: 'http://api:8080', allowHttp: true })).not.toThrow();
  });
});
