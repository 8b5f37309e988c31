import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { signedHeaders, type ThrowAwayDatabase } from '#testing';
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
    ['POST', '/api/v4/payouts'],
    ['GET', '/api/v4/payouts/PAY-1'],
    ['POST', '/api/v4/payouts/PAY-1/approve'],
    ['POST', '/api/v4/payouts/PAY-1/reject'],
    ['POST', '/api/v4/payout-batches'],
    ['GET', '/api/v4/payout-batches/PAY-1'],
    ['POST', '/api/v4/payout-batches/PAY-1/approve'],
    ['POST', '/api/v4/payout-batches/PAY-1/reject'],
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
    const answer = await app.inject({ method, url, remoteAddress: allowedAddress });
    expect([answer.statusCode, answer.json()]).toEqual([401, { error: 'invalid_token' }]);
  });

  // The body of a decision on a payout may be {}.
  const creating = routes.filter(([method, url]) => method === 'POST' && !url.includes('PAY-1'));
  it.each(creating)('%s %s refuses {} with 400', async (method, url) => {
    const { accessToken } = await signIn();
    const answer = await call(accessToken, method, url, '{}');
    expect(answer.statusCode).toBe(400);
    // The contract's order of fields: a batch begins with its reference.
    const first = url.endsWith('batches') ? 'invalid_reference' : 'invalid_account';
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
      await viewsAre(postgres.database, age);
      for (const url of ['/api/v4/transactions', '/api/v4/accounts/1000000001/balance']) {
        const answer = await call(accessToken, 'GET', url);
        expect([answer.statusCode, answer.json()]).toEqual([503, { error: 'service_unavailable' }]);
      }
    }
  });
});
