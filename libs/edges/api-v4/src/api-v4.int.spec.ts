import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { EventStore } from '#domain/event-sourcing';
import { signedHeaders, type ThrowAwayDatabase } from '#testing';
import { account } from '../test/ports.js';
import { PayoutBatchCalls } from './payouts/payout-batch-calls.js';
import {
  allowedAddress,
  askToken,
  issueCredential,
  privateKey,
  useEdge,
  viewsAre,
} from '../test/edge.js';

let postgres: ThrowAwayDatabase;
let app: NestFastifyApplication;

useEdge((...started) => {
  [app, postgres] = started;
});
beforeEach(() => viewsAre(postgres.database, '0 s'));

async function signIn(): Promise<{ accessToken: string }> {
  const answer = await askToken(app, await issueCredential(postgres.database));
  return { accessToken: answer.json<{ access_token: string }>().access_token };
}

function call(accessToken: string, method: 'GET' | 'POST', url: string, body?: string) {
  const request = { method, url, ...(body !== undefined && { body }) };
  return app.inject({
    method,
    url,
    remoteAddress: allowedAddress,
    headers: {
      ...signedHeaders({ privateKey, accessToken }, request),
      ...(method === 'POST' && { 'idempotency-key': randomUUID() }),
    },
    ...(body !== undefined && { payload: body }),
  });
}

describe('every signed route', () => {
  const routes = [
    ['POST', '/api/v4/collections'],
    ['GET', '/api/v4/collections/INV-1'],
    ['GET', '/api/v4/collections/INV-1/receipt'],
    ['POST', '/api/v4/expected-payments'],
    ['POST', '/api/v4/collections/INV-1/refund'],
    ['POST', '/api/v4/payouts'],
    ['GET', '/api/v4/payouts/PAY-1'],
    ['POST', '/api/v4/payouts/PAY-1/approve'],
    ['POST', '/api/v4/payouts/PAY-1/reject'],
    ['POST', '/api/v4/payouts/PAY-1/cancel'],
    ['POST', '/api/v4/payout-batches'],
    ['GET', '/api/v4/payout-batches/PAY-1'],
    ['POST', '/api/v4/payout-batches/PAY-1/approve'],
    ['POST', '/api/v4/payout-batches/PAY-1/reject'],
    ['POST', '/api/v4/payout-batches/PAY-1/cancel'],
    ['GET', '/api/v4/transactions'],
    ['GET', '/api/v4/accounts/1000000001/balance'],
    ['GET', '/api/v4/events'],
  ] as const;

  it('is one of these', () => {
    const printed = app.getHttpAdapter().getInstance().printRoutes({ commonPrefix: false });
    const found = printed.match(/(GET|POST|PUT|PATCH|DELETE)/g) ?? [];
    // The token endpoint is the only one that is not signed.
    expect(found).toHaveLength(routes.length + 1);
  });

  it.each(routes)('%s %s rejects a call without a token', async (method, url) => {
    const answer = await app.inject({ method, url, remoteAddress: allowedAddress });
    expect([answer.statusCode, answer.json()]).toEqual([401, { error: 'invalid_token' }]);
  });

  // The body of a decision on a payout may be {}.
  const creating = routes.filter(([method, url]) => method === 'POST' && !url.includes('PAY-1'));
  it.each(creating)('%s %s rejects {} with 400', async (method, url) => {
    const { accessToken } = await signIn();
    const answer = await call(accessToken, method, url, '{}');
    expect(answer.statusCode).toBe(400);
    // The contract's order of fields: a batch begins with its reference, and a refund needs no other field.
    const first = /(batches|refund)$/.test(url) ? 'invalid_reference' : 'invalid_account';
    expect(answer.json()).toMatchObject({ error: first });
  });

  it('refuses a nonce that it has seen', async () => {
    const { accessToken } = await signIn();
    const url = '/api/v4/transactions';
    const headers = signedHeaders({ privateKey, accessToken }, { method: 'GET', url });
    const send = () => app.inject({ url, headers, remoteAddress: allowedAddress });
    expect((await send()).statusCode).toBe(200);
    expect((await send()).json()).toEqual({ error: 'nonce_reused' });
  });
});

describe('reading', () => {
  it('reports an empty list as complete, and how fresh it is', async () => {
    const { accessToken } = await signIn();
    const answer = await call(accessToken, 'GET', '/api/v4/transactions?limit=5');
    expect(answer.json()).toEqual({ data: [], next_cursor: null });
    expect(answer.headers['x-pp-ledger-position']).toBe('0');
    expect(answer.headers['x-pp-ledger-time']).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  });

  it('returns zeros for the balance of an account without money', async () => {
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

  it.each(['x', '-1', '01', '1.0', '1', '9223372036854775808'])(
    'rejects the position %s if nothing was recorded',
    async (position) => {
      const { accessToken } = await signIn();
      for (const url of ['/api/v4/transactions', '/api/v4/accounts/1000000001/balance']) {
        const headers = {
          ...signedHeaders({ privateKey, accessToken }, { method: 'GET', url }),
          'x-pp-at-position': position,
        };
        const answer = await app.inject({ url, headers, remoteAddress: allowedAddress });
        expect([answer.statusCode, answer.json()]).toEqual([400, { error: 'invalid_position' }]);
      }
    },
  );

  it('returns an empty list and no account as of position 0', async () => {
    const { accessToken } = await signIn();
    const asOf = (url: string) =>
      app.inject({
        url,
        headers: {
          ...signedHeaders({ privateKey, accessToken }, { method: 'GET', url }),
          'x-pp-at-position': '0',
        },
        remoteAddress: allowedAddress,
      });
    const list = await asOf(
      '/api/v4/transactions?status=pending&date_field=paid_at&from=2026-01-01',
    );
    expect([list.statusCode, list.json()]).toEqual([200, { data: [], next_cursor: null }]);
    expect(list.headers['x-pp-ledger-position']).toBe('0');
    const balance = await asOf('/api/v4/accounts/1000000001/balance');
    expect([balance.statusCode, balance.json()]).toEqual([404, { error: 'not_found' }]);
  });

  it.each(['1000000002', '%00', 'x'])('does not find the account %s', async (account) => {
    const { accessToken } = await signIn();
    const answer = await call(accessToken, 'GET', `/api/v4/accounts/${account}/balance`);
    expect([answer.statusCode, answer.json()]).toEqual([404, { error: 'not_found' }]);
  });

  it.each(['a%20b', '%00', '~', '%F0%9F%92%B8'])(
    'does not find an invalid reference (%s)',
    async (reference) => {
      const { accessToken } = await signIn();
      const answer = await call(accessToken, 'GET', `/api/v4/collections/${reference}`);
      expect([answer.statusCode, answer.json()]).toEqual([404, { error: 'not_found' }]);
    },
  );

  it('is rejected while the views are being built or too old, because an empty list would be wrong', async () => {
    const { accessToken } = await signIn();
    for (const age of [null, '61 minutes']) {
      await viewsAre(postgres.database, age);
      const balance = '/api/v4/accounts/1000000001/balance';
      for (const url of ['/api/v4/transactions', '/api/v4/events', balance]) {
        const answer = await call(accessToken, 'GET', url);
        expect([answer.statusCode, answer.json()]).toEqual([503, { error: 'service_unavailable' }]);
      }
    }
  });
});

describe('the events', () => {
  const bodyOf = (sequence: number) =>
    `{"id":"${sequence}","sequence":${sequence},"data":{"amount_minor":9007199254740993,"z":"\\u00e9é","10":1,"2":1}}`;
  const write = (merchantId: string, mode: string, sequence: number) =>
    postgres.database.query(
      `insert into webhook_events (merchant_id, mode, sequence, id, type, position, recorded_at, body)
       values ($1, $2, $3, $4, 'collection.completed', $3, now(), $5)`,
      [merchantId, mode, sequence, randomUUID(), bodyOf(sequence)],
    );
  const ask = async (query: string) => {
    const { accessToken } = await signIn();
    return call(accessToken, 'GET', `/api/v4/events${query}`);
  };
  beforeAll(async () => {
    for (const sequence of [1, 2, 3]) await write(account.merchantId, 'demo', sequence);
    await write(account.merchantId, 'live', 4);
    await write('another', 'demo', 4);
  });

  it.each<[string, number[], string]>([
    ['', [1, 2, 3], '3'],
    ['?after_sequence=0&limit=2', [1, 2], '2'],
    ['?after_sequence=2', [3], '3'],
    ['?after_sequence=3', [], '3'],
    ['?after_sequence=9007199254740991', [], '9007199254740991'],
  ])('%j are the caller’s own, byte for byte', async (query, sequences, next) => {
    const answer = await ask(query);
    expect(answer.payload).toBe(
      `{"data":[${sequences.map(bodyOf).join(',')}],"next_after_sequence":${next}}`,
    );
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.headers['x-pp-ledger-position']).toBe('0');
    expect(answer.headers['x-pp-ledger-time']).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  });

  it.each([
    ['after_sequence=-1', 'invalid_sequence'],
    ['after_sequence=9007199254740992', 'invalid_sequence'],
    ['limit=9007199254740993', 'invalid_limit'],
    ['after_sequence=', 'invalid_sequence'],
    ['after_sequence=01', 'invalid_sequence'],
    ['after_sequence=1.0', 'invalid_sequence'],
    ['after_sequence=1e3', 'invalid_sequence'],
    ['after_sequence=%201', 'invalid_sequence'],
    ['after_sequence=x&limit=0', 'invalid_sequence'],
    ['after_sequence=9223372036854775808', 'invalid_sequence'],
    ['limit=0', 'invalid_limit'],
    ['limit=101', 'invalid_limit'],
    ['after_sequence=1&after_sequence=1', 'invalid_request'],
    ['type=collection.completed', 'invalid_request'],
  ])('%s is refused as %s, with a detail', async (query, error) => {
    const answer = await ask(`?${query}`);
    const detail: unknown = expect.stringMatching(/\.$/);
    expect([answer.statusCode, answer.json()]).toEqual([400, { error, detail }]);
  });

  it('are rejected for a position that is beyond the end', async () => {
    const { accessToken } = await signIn();
    const headers = {
      ...signedHeaders({ privateKey, accessToken }, { method: 'GET', url: '/api/v4/events' }),
      'x-pp-min-position': '1',
    };
    const answer = await app.inject({
      url: '/api/v4/events',
      headers,
      remoteAddress: allowedAddress,
    });
    expect([answer.statusCode, answer.json()]).toEqual([400, { error: 'invalid_position' }]);
  });
});

describe('a batch of payouts', () => {
  const body = JSON.stringify({
    reference: 'B-1',
    account_no: '1000000001',
    currency: 'KES',
    channel: 'mpesa',
    items: [{ reference: 'B-1-1', phone: '254712345678', amount_minor: 10_000 }],
  });
  const kept = () =>
    postgres.database.query(`select (select count(*) from records.idempotency_claims) as claims,
      (select count(*) from records.sealed_messages) as messages`);

  it('is rejected before it is read while enough of its merchant’s batches are in progress', async () => {
    const { accessToken } = await signIn();
    const { promise: end, resolve } = Promise.withResolvers<undefined>();
    const { underWay } = app.get(PayoutBatchCalls);
    const others = [1, 2, 3, 4].map(() => underWay.admitted(account.merchantId, () => end));
    try {
      const answer = await call(accessToken, 'POST', '/api/v4/payout-batches', body);
      expect([answer.statusCode, answer.json()]).toEqual([503, { error: 'service_unavailable' }]);
      expect(await kept()).toEqual([{ claims: 0n, messages: 0n }]);
      await underWay.admitted('another', () => Promise.resolve());
    } finally {
      resolve(undefined);
      await Promise.all(others);
    }
  });
});

it('a server that is behind the requested position is waited for, and no answer predates the position', async () => {
  const { accessToken } = await signIn();
  Object.assign(app.get(EventStore), { head: () => Promise.resolve(7n) });
  const asks = [
    ['/api/v4/transactions', 'x-pp-min-position'],
    ['/api/v4/transactions?from=2020-01-01&to=2020-01-01', 'x-pp-at-position'],
    ['/api/v4/accounts/1000000001/balance', 'x-pp-min-position'],
    ['/api/v4/events', 'x-pp-min-position'],
  ] as const;
  const ask = async ([url, name]: (typeof asks)[number]) => {
    const signed = signedHeaders({ privateKey, accessToken }, { method: 'GET', url });
    const headers = { ...signed, [name]: '7' };
    return (await app.inject({ url, headers, remoteAddress: allowedAddress })).statusCode;
  };
  const askAll = () => Promise.all(asks.map(ask));
  const hold = (position: number) =>
    postgres.database.query('update checkpoint set position = $1', [position]);
  await hold(7);
  expect(await askAll()).toEqual([200, 200, 200, 200]);
  // A process that stands still for longer than a request waits has another try.
  for (let attempt = 1; ; attempt += 1) {
    await hold(6);
    const asked = askAll();
    await sleep(400);
    await hold(7);
    const statuses = await asked;
    if (statuses.includes(503) && attempt < 5) continue;
    expect(statuses).toEqual([200, 200, 200, 200]);
    break;
  }
  await hold(6);
  expect(await askAll()).toEqual([503, 503, 503, 503]);
});
