import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { accepted, collection, failureOf, item, refused } from '../test/fixtures.js';
import { isSigned, keys, ScriptedService } from '../test/scripted-service.js';
import { signedFetch, type SignedFetchOptions } from './signed-fetch.js';

let service: ScriptedService;
beforeEach(async () => {
  service = await ScriptedService.start();
});
afterEach(() => service.stop());

const fetchOf = (options: Partial<SignedFetchOptions> = {}) =>
  signedFetch({
    baseUrl: service.url,
    clientId: 'client-1',
    clientSecret: 'secret-1',
    privateKey: keys.private_key_pem,
    timeoutMs: 60_000,
    retries: { baseDelayMs: 1 },
    ...options,
  });
const body = JSON.stringify(collection);
const headers = { 'Content-Type': 'application/json', 'X-Request-Id': 'r-1' };
const post = { method: 'POST', headers, body };

describe('a signed fetch (SDK-20)', () => {
  it('adds token, signature and key to a Request, keeps its headers and returns the answer', async () => {
    service.turns = [accepted];
    const answer = await fetchOf()(new Request(`${service.url}/api/v4/collections`, post));
    expect([answer.status, answer.ok, answer.headers.get('X-PP-Ledger-Position')]).toEqual([
      202,
      true,
      '41',
    ]);
    expect(await answer.json()).toMatchObject({ status: 'pending', reference: 'INV/1' });
    const [request] = service.requests;
    expect(request).toMatchObject({
      method: 'POST',
      url: '/api/v4/collections',
      headers: {
        authorization: 'Bearer token-1',
        'content-type': 'application/json',
        'idempotency-key': expect.stringMatching(/^[0-9a-f-]{36}$/),
        'x-request-id': 'r-1',
      },
      body,
    });
    expect(request && isSigned(request)).toBe(true);
  });

  it('keeps the caller’s Idempotency-Key, in each try, and replaces its Authorization', async () => {
    service.turns = [refused(503, 'service_unavailable'), 'cut the connection', accepted];
    const own = { ...headers, 'Idempotency-Key': 'order-1', Authorization: 'Bearer mine' };
    await fetchOf()(`${service.url}/api/v4/collections`, { ...post, headers: own });
    const seen = service.requests.map((request) => request.headers);
    expect(seen.map((one) => one['idempotency-key'])).toEqual(['order-1', 'order-1', 'order-1']);
    expect(new Set(seen.map((one) => one['authorization']))).toEqual(new Set(['Bearer token-1']));
    expect(new Set(seen.map((one) => one['x-pp-nonce'])).size).toBe(3);
    expect(service.requests.every(isSigned)).toBe(true);
  });

  it('signs the query in its canonical form, a space written as a plus included', async () => {
    service.turns = [{ status: 200, body: { data: [], next_cursor: null } }];
    const query = 'to=2026-01-31&cursor=a%2Bb+c';
    await fetchOf()(new URL(`${service.url}/api/v4/transactions?${query}`));
    const [request] = service.requests;
    expect(request?.url).toBe('/api/v4/transactions?cursor=a%2Bb%20c&to=2026-01-31');
    expect(request?.headers['idempotency-key']).toBeUndefined();
    expect(request && isSigned(request)).toBe(true);
  });

  it('returns an error answer as a Response, as fetch does', async () => {
    service.turns = [refused(400, 'invalid_phone', { detail: 'phone: …' })];
    const answer = await fetchOf()(`${service.url}/api/v4/collections`, post);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toEqual({ error: 'invalid_phone', detail: 'phone: …' });
    expect(service.requests).toHaveLength(1);
  });

  it('renews a token that the service refuses', async () => {
    service.turns = [refused(401, 'invalid_token'), item('completed')];
    const answer = await fetchOf()(`${service.url}/api/v4/collections/INV-1`);
    expect([answer.status, service.tokenRequests.length]).toEqual([200, 2]);
  });

  it.each([
    ['/api/v4/collections', 'different_collection'],
    ['/api/v4/expected-payments', 'different_collection'],
    ['/api/v4/payouts', 'different_payout'],
    ['/api/v4/payout-batches', 'different_payout_batch'],
  ])('throws if the reference of a POST to %s belongs to another item', async (path, code) => {
    const existing = { 'X-PP-Existing': 'true', 'X-PP-Differs': 'amount_minor' };
    const paid = { status: 'completed', reference: 'INV/1', amount_minor: 9_900 };
    service.turns = [{ status: 202, headers: existing, body: paid }];
    const error = await failureOf(fetchOf()(`${service.url}${path}`, post));
    expect(error).toMatchObject({
      code,
      reference: 'INV/1',
      differs: ['amount_minor'],
      existing: { status: 'completed', amount_minor: 9_900n, existing: true },
    });
  });

  it('throws if no answer came or there is no token, and ends with the caller’s signal', async () => {
    service.turns = ['cut the connection'];
    const url = `${service.url}/api/v4/collections/INV-1`;
    const once = fetchOf({ retries: { max: 0 } });
    expect(await failureOf(once(url))).toMatchObject({ code: 'network_failure', attempts: 1 });
    service.tokenTurns = [refused(401, 'invalid_client')];
    expect(await failureOf(fetchOf()(url))).toMatchObject({ code: 'invalid_client' });
    const signal = AbortSignal.abort(new Error('the customer left'));
    await expect(fetchOf()(url, { signal })).rejects.toThrow('the customer left');
  });

  it('sends nothing to another origin, which would learn the token', async () => {
    const elsewhere = fetchOf({ baseUrl: 'https://api.example.com' });
    await expect(elsewhere(`${service.url}/api/v4/events`)).rejects.toThrow(TypeError);
    expect([service.requests.length, service.tokenRequests.length]).toEqual([0, 0]);
  });

  it('refuses a key that cannot be sent', async () => {
    const bad = { ...headers, 'Idempotency-Key': 'two words' };
    const call = fetchOf()(`${service.url}/api/v4/collections`, { ...post, headers: bad });
    await expect(call).rejects.toThrow(TypeError);
  });
});
