import { generateKeyPairSync } from 'node:crypto';
import { eventually, type Service, startService } from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Caller, collectionOf, type Draft, issueCaller, readOf, send } from './v4-request.js';

let service: Service;
let caller: Caller;
let limited: Caller;
let usedNonce: string;
const otherKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const ips = '127.0.0.1,198.51.100.0/24';

beforeAll(async () => {
  service = await startService({ TRUSTED_PROXIES: '127.0.0.1' });
  caller = await issueCaller(service, { ips });
  limited = await issueCaller(service, { ips, rate: '1/h' });
  // A nonce belongs to its credential: both have used this one.
  const use = readOf(caller, '/api/v4/transactions');
  usedNonce = use.nonce;
  await send(service.baseUrl, use);
  await send(service.baseUrl, { ...readOf(limited, '/api/v4/transactions'), nonce: usedNonce });
});
afterAll(() => service.stop());

const draft = (): Draft => collectionOf(caller, service.merchant.credentials.accountNo);
const header = (name: string, value?: string) => (d: Draft) => void (d.headers[name] = value);
const field = (name: string, value: unknown) => (d: Draft) => void (d.fields[name] = value);
const text = (body: string) => (d: Draft) => void (d.text = body);
const ago = (seconds: number) => String(Math.floor(Date.now() / 1000) - seconds);

type Failure = readonly [number, string, number, string, (draft: Draft) => void];

/** Every way to fail in the order of AUTH-1: rank, name, status, code and the change that makes a request fail so. */
const failures: readonly Failure[] = [
  [0, 'an unknown route', 404, 'not_found', (d) => (d.path = '/api/v4/nowhere')],
  [0, 'a wrong method', 405, 'method_not_allowed', (d) => (d.method = 'PUT')],
  [1, 'a body over 64 KiB', 413, 'payload_too_large', text(' '.repeat(64 * 1024 + 1))],
  [2, 'no token', 401, 'invalid_token', header('authorization')],
  [2, 'another scheme', 401, 'invalid_token', header('authorization', 'Basic YTpi')],
  [2, 'an unknown token', 401, 'invalid_token', (d) => (d.accessToken = 'x'.repeat(43))],
  [3, 'a foreign address', 403, 'ip_not_allowed', header('x-forwarded-for', '203.0.113.9')],
  [3, 'an address that is none', 403, 'ip_not_allowed', header('x-forwarded-for', 'me')],
  [4, 'no signature', 401, 'missing_signature', header('x-pp-signature')],
  [4, 'no nonce', 401, 'missing_signature', header('x-pp-nonce')],
  [4, 'no timestamp', 401, 'missing_signature', header('x-pp-timestamp')],
  [5, 'an old timestamp', 401, 'timestamp_expired', (d) => (d.timestamp = ago(302))],
  [5, 'a timestamp ahead', 401, 'timestamp_expired', (d) => (d.timestamp = ago(-302))],
  [5, 'milliseconds', 401, 'timestamp_expired', (d) => (d.timestamp = String(Date.now()))],
  [5, 'a fraction', 401, 'timestamp_expired', (d) => (d.timestamp = `${ago(0)}.5`)],
  [6, 'another’s key', 401, 'invalid_signature', (d) => (d.privateKey = otherKey)],
  [6, 'no base64', 401, 'invalid_signature', header('x-pp-signature', '***')],
  [6, 'an unsigned query', 401, 'invalid_signature', (d) => (d.unsigned = '?a=b')],
  [7, 'a short nonce', 401, 'invalid_nonce', (d) => (d.nonce = 'x'.repeat(15))],
  [7, 'a nonce with a dot', 401, 'invalid_nonce', (d) => (d.nonce = 'x.'.repeat(16))],
  [8, 'a used nonce', 401, 'nonce_reused', (d) => (d.nonce = usedNonce)],
  [9, 'too many requests', 429, 'rate_limited', byLimited],
  [10, 'no media type', 415, 'unsupported_media_type', header('content-type')],
  [10, 'another media type', 415, 'unsupported_media_type', header('content-type', 'text/plain')],
  [11, 'no JSON', 400, 'invalid_request', text('{"a":')],
  [11, 'a list', 400, 'invalid_request', text('[1]')],
  [12, 'no key', 400, 'missing_idempotency_key', header('idempotency-key')],
  [12, 'a key with a space', 400, 'invalid_idempotency_key', header('idempotency-key', 'a b')],
  [12, 'a key of 256', 400, 'invalid_idempotency_key', header('idempotency-key', 'x'.repeat(256))],
  [13, 'another’s account', 400, 'invalid_account', field('account_no', '9999999999')],
  [14, 'a phone with a plus', 400, 'invalid_phone', field('phone', '+254712345678')],
  [15, 'no amount', 400, 'invalid_amount', field('amount_minor', 0)],
  [15, 'half a cent', 400, 'invalid_amount', field('amount_minor', 1.5)],
  [15, 'an amount in words', 400, 'invalid_amount', field('amount_minor', '100')],
  [15, 'too much', 400, 'invalid_amount', field('amount_minor', 25_000_001)],
  [16, 'another currency', 400, 'invalid_currency', field('currency', 'USD')],
  [17, 'another channel', 400, 'invalid_channel', field('channel', 'card')],
  [18, 'a reference with a space', 400, 'invalid_reference', field('reference', 'a b')],
  [19, 'a position in words', 400, 'invalid_position', header('x-pp-min-position', 'now')],
  [19, 'a position to come', 400, 'invalid_position', header('x-pp-min-position', '9'.repeat(18))],
];

function byLimited(d: Draft): void {
  d.accessToken = limited.accessToken;
  // If another credential's key was meant, keep it different.
  if (d.privateKey !== otherKey) d.privateKey = limited.privateKey;
}

describe('over HTTP, a request with one fault', () => {
  it.each(failures)('(%i) %s is answered %i %s', async (...failure) => {
    const [, , status, code, spoil] = failure;
    const request = draft();
    spoil(request);
    const answer = await send(service.baseUrl, request);
    expect([answer.status, answer.body['error']]).toEqual([status, code]);
    expect(answer.headers['x-request-id']).toBeDefined();
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  });

  it('has a detail only for a field of body or query, and in demo mode for signing', async () => {
    for (const [, name, status, code, spoil] of failures) {
      const request = draft();
      spoil(request);
      const { body } = await send(service.baseUrl, request);
      const isSigning = code === 'timestamp_expired' || code === 'invalid_signature';
      const mayTell = isSigning || (status === 400 && !/idempotency_key|position/.test(code));
      if (!mayTell) expect({ name, keys: Object.keys(body) }).toEqual({ name, keys: ['error'] });
    }
  });
});

describe('over HTTP, a request with two faults', () => {
  it('gets the error that the contract checks first', async () => {
    const wrong: string[] = [];
    for (const [rank, name, status, code, spoil] of failures) {
      for (const [laterRank, laterName, , , spoilLater] of failures) {
        if (laterRank <= rank) continue;
        const request = draft();
        spoilLater(request);
        spoil(request);
        const answer = await send(service.baseUrl, request);
        if (answer.status !== status || answer.body['error'] !== code)
          wrong.push(`${name} and ${laterName}: ${answer.status} ${String(answer.body['error'])}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('writes no event', async () => {
    const listed = await service.merchant.get('/api/v4/transactions');
    expect(listed.body['data']).toEqual([]);
  });
});

describe('a list', () => {
  const list = (query: string, headers: Draft['headers'] = {}) => {
    const request = readOf(caller, `/api/v4/transactions${query}`);
    Object.assign(request.headers, headers);
    return send(service.baseUrl, request);
  };

  it.each([
    ['?type=refund', 'invalid_type'],
    ['?status=done', 'invalid_status'],
    ['?from=2026-02-30', 'invalid_date'],
    ['?from=2026-02-02&to=2026-02-01', 'invalid_date'],
    ['?limit=0', 'invalid_limit'],
    ['?limit=101', 'invalid_limit'],
    ['?limit=1e1', 'invalid_limit'],
    ['?cursor=x', 'invalid_cursor'],
    ['?cursor=', 'invalid_cursor'],
    ['?cursor=AQ&cursor=AQ', 'invalid_cursor'],
    ['?date_field=now', 'invalid_request'],
    ['?limit=1&limit=1', 'invalid_request'],
    ['?colour=red', 'invalid_request'],
    ['?__proto__=1', 'invalid_request'],
    ['?type=x&status=x', 'invalid_type'],
    ['?status=x&from=x', 'invalid_status'],
    ['?from=x&limit=x', 'invalid_date'],
    ['?limit=x&cursor=x', 'invalid_limit'],
  ])('%s is rejected as %s', async (query, code) => {
    const answer = await list(query, { 'x-pp-min-position': 'now' });
    expect([answer.status, answer.body['error']]).toEqual([400, code]);
    if (code === 'invalid_cursor') expect(Object.keys(answer.body)).toEqual(['error']);
  });

  it.each(['-1', '01', '1.5', '1e3', '', '9'.repeat(19), '9'.repeat(400), '1, 2'])(
    'rejects the position %j',
    async (position) => {
      const answer = await list('', { 'x-pp-min-position': position });
      expect([answer.status, answer.body]).toEqual([400, { error: 'invalid_position' }]);
    },
  );
});

describe('reading one’s own writes', () => {
  it('works at once after every 202, on list and balance, and returns the position that was read', async () => {
    for (let round = 0; round < 10; round += 1) {
      const request = draft();
      const created = await send(service.baseUrl, request);
      expect(created.status).toBe(202);
      const position = String(created.headers['x-pp-ledger-position']);
      const read = readOf(caller, '/api/v4/transactions?limit=1');
      read.headers['x-pp-min-position'] = position;
      const { body, headers } = await send(service.baseUrl, read);
      expect(body['data']).toMatchObject([{ reference: request.fields['reference'] }]);
      expect(BigInt(String(headers['x-pp-ledger-position']))).toBeGreaterThanOrEqual(
        BigInt(position),
      );
      expect(headers['x-pp-ledger-time']).toBeDefined();
      const account = `/api/v4/accounts/${service.merchant.credentials.accountNo}/balance`;
      const balance = readOf(caller, account);
      balance.headers['x-pp-min-position'] = position;
      expect((await send(service.baseUrl, balance)).status).toBe(200);
    }
  });

  it('a rejected push and a repeated reference return their position, too', async () => {
    const refused = draft();
    refused.fields['phone'] = '254700000011';
    for (const status of [502, 202]) {
      const answer = await send(service.baseUrl, { ...refused, nonce: draft().nonce });
      expect(answer.status).toBe(status);
      expect(answer.headers['x-pp-ledger-position']).toMatch(/^[1-9][0-9]*$/);
    }
  });

  it('is given up after 2 s while the views are stopped, and then works again', async () => {
    service.child('projector').signal('SIGSTOP');
    try {
      const created = await send(service.baseUrl, draft());
      const read = readOf(caller, '/api/v4/transactions');
      read.headers['x-pp-min-position'] = String(created.headers['x-pp-ledger-position']);
      const started = performance.now();
      const answer = await send(service.baseUrl, read);
      expect([answer.status, answer.body]).toEqual([503, { error: 'service_unavailable' }]);
      expect(answer.headers['retry-after']).toBeDefined();
      expect(performance.now() - started).toBeGreaterThan(1900);
      expect(performance.now() - started).toBeLessThan(60_000);
    } finally {
      service.child('projector').signal('SIGCONT');
    }
    await eventually(
      () => service.merchant.get('/api/v4/transactions'),
      ({ status }) => status === 200,
    );
  });
});
