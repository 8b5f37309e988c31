import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  accepted,
  clientOf,
  collection,
  failureOf,
  refused,
  retryAfter,
} from '../../test/fixtures.js';
import { isSigned, ScriptedService, type Turn } from '../../test/scripted-service.js';
import { type PesaPostOptions } from '../options.js';

let service: ScriptedService;
beforeEach(async () => {
  service = await ScriptedService.start();
});
afterEach(() => service.stop());

const client = (options: Partial<PesaPostOptions> = {}) => clientOf(service, options);

describe('a retry', () => {
  /** Two silent tries are waited for. The third is answered at once, even by a busy machine. */
  const shortly = { timeoutMs: 5_000 };

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
    const by = client(turn === 'say nothing' ? shortly : {});
    await expect(by.collections.create(collection)).resolves.toMatchObject({ status: 'pending' });
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

  it('is made at most as often as the policy allows; the error then has the key to continue with', async () => {
    service.turns = ['cut the connection'];
    const retries = { max: 2, baseDelayMs: 1 };
    const error = await failureOf(client({ retries }).collections.create(collection));
    expect(error).toMatchObject({ code: 'network_failure', kind: 'network', attempts: 3 });
    expect(error.idempotencyKey).toBe(service.requests[0]?.headers['idempotency-key']);
    expect(error.cause).toMatchObject({ name: 'TypeError', message: 'fetch failed' });
  });

  it('has its own timestamp', async () => {
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

  it('is not made if Retry-After exceeds the policy’s limit; the error has the delay', async () => {
    service.turns = [retryAfter(503, 'service_unavailable', '3600')];
    const error = await failureOf(client().collections.create(collection));
    expect(error).toMatchObject({ code: 'service_unavailable', retryAfterSeconds: 3600 });
    expect(service.requests).toHaveLength(1);
  });
});
