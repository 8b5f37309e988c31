import { randomUUID } from 'node:crypto';
import { type AddressInfo } from 'node:net';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { instantFromMs } from '#domain/kernel';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { insertClientSecret } from '#records/credentials';
import { hashSecret } from '#shared/signing';
import { answerToHeldBackBody, eventually, signedHeaders, type ThrowAwayDatabase } from '#testing';
import {
  allowedAddress,
  askToken,
  credentialSecrets,
  issueCredential,
  privateKey,
  useEdge,
  viewsAre,
} from '../../test/edge.js';
import { ClientAuthentication } from './client-authentication.js';

let postgres: ThrowAwayDatabase;
let app: NestFastifyApplication;

useEdge((...started) => {
  [app, postgres] = started;
});
beforeEach(() => viewsAre(postgres.database, '0 s'));

async function listStatus(accessToken: string, address = allowedAddress): Promise<number> {
  const url = '/api/v4/transactions';
  const headers = signedHeaders({ privateKey, accessToken }, { method: 'GET', url });
  return (await app.inject({ url, headers, remoteAddress: address })).statusCode;
}

describe('the token endpoint', () => {
  it('gives a token that lets requests in, and is stored as its digest alone', async () => {
    const { clientId, clientSecret } = await issueCredential(postgres.database);
    const answer = await askToken(app, { clientId: clientId, clientSecret: clientSecret });
    const { access_token: token, ...rest } = answer.json<{ access_token: string }>();
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(rest).toEqual({ token_type: 'Bearer', expires_in: 3600 });
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(await listStatus(token)).toBe(200);
    const [row] = await postgres.database.query(
      `select extract(epoch from expires_at - now())::int as life from records.access_tokens where token_hash = $1`,
      [hashSecret(token)],
    );
    expect(row?.['life']).toBeGreaterThan(3500);
  });

  it('gives another token that ends no other', async () => {
    const { clientId, clientSecret } = await issueCredential(postgres.database);
    const tokens = await Promise.all(
      [1, 2].map(() => askToken(app, { clientId: clientId, clientSecret: clientSecret })),
    );
    for (const token of tokens) {
      const { access_token } = token.json<{ access_token: string }>();
      expect(await listStatus(access_token)).toBe(200);
    }
  });

  it.each([
    ['a wrong secret', (id: string) => [id, 'wrong']],
    ['an unknown client', () => ['nobody', 'x']],
    ['no secret', (id: string) => [id, '']],
  ])('refuses %s as invalid_client', async (_, spoil) => {
    const { clientId } = await issueCredential(postgres.database);
    const [id = '', secret = ''] = spoil(clientId);
    const answer = await askToken(app, { clientId: id, clientSecret: secret });
    expect([answer.statusCode, answer.json()]).toEqual([401, { error: 'invalid_client' }]);
    expect(answer.headers['www-authenticate']).toMatch(/^Basic /);
  });

  it('asks for a body after the secret and the address, and not before (AUTH-31)', async () => {
    const { clientId, clientSecret } = await issueCredential(postgres.database);
    await app.listen(0, '127.0.0.1');
    const { port } = app.getHttpServer().address() as AddressInfo;
    const answered = (secret: string, from: string): Promise<string> => {
      const basic = Buffer.from(`${clientId}:${secret}`).toString('base64');
      const headers = { Authorization: `Basic ${basic}`, 'X-Forwarded-For': from };
      const type = { 'Content-Type': 'application/x-www-form-urlencoded' };
      return answerToHeldBackBody(port, '/api/v4/oauth/token', { ...headers, ...type });
    };
    expect(await answered('wrong', allowedAddress)).toBe('HTTP/1.1 401 Unauthorized');
    expect(await answered(clientSecret, '203.0.113.1')).toBe('HTTP/1.1 403 Forbidden');
    expect(await answered(clientSecret, allowedAddress)).toBe('HTTP/1.1 100 Continue');
  });

  it('refuses an address outside the credential’s list', async () => {
    const { clientId, clientSecret } = await issueCredential(postgres.database);
    const answer = await askToken(
      app,
      { clientId: clientId, clientSecret: clientSecret },
      { address: '203.0.113.1' },
    );
    expect([answer.statusCode, answer.json()]).toEqual([403, { error: 'ip_not_allowed' }]);
  });

  it.each([
    ['grant_type=password', 400, 'unsupported_grant_type'],
    ['grant_type=client_credentials&grant_type=client_credentials', 400, 'invalid_request'],
    ['', 400, 'invalid_request'],
  ])('answers the form %j with %i %s', async (form, status, error) => {
    const { clientId, clientSecret } = await issueCredential(postgres.database);
    const answer = await askToken(
      app,
      { clientId: clientId, clientSecret: clientSecret },
      { form },
    );
    expect([answer.statusCode, answer.json()]).toMatchObject([status, { error }]);
  });

  it('takes a form and nothing else', async () => {
    const { clientId, clientSecret } = await issueCredential(postgres.database);
    const answer = await askToken(
      app,
      { clientId: clientId, clientSecret: clientSecret },
      { type: 'application/json' },
    );
    expect(answer.statusCode).toBe(415);
  });

  it('tells failures of a client from an address to wait after ten; a right secret is served', async () => {
    const client = await issueCredential(postgres.database);
    const [address, wrong] = ['198.51.100.20', { ...client, clientSecret: 'wrong' }];
    for (let failure = 1; failure <= 10; failure += 1)
      expect((await askToken(app, wrong, { address })).statusCode).toBe(401);
    const refused = await askToken(app, wrong, { address });
    expect([refused.statusCode, refused.json()]).toEqual([429, { error: 'rate_limited' }]);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(20);
    expect((await askToken(app, client, { address })).statusCode).toBe(200);
  });

  it('does not tell a right secret from a foreign address apart from a wrong one, after ten failures', async () => {
    const client = await issueCredential(postgres.database);
    const [address, wrong] = ['203.0.113.20', { ...client, clientSecret: 'wrong' }];
    for (let failure = 1; failure <= 10; failure += 1) await askToken(app, wrong, { address });
    expect((await askToken(app, client, { address })).json()).toEqual({ error: 'rate_limited' });
  });

  it('serves a right secret, and a token that it never saw, from an address that floods', async () => {
    const [client, address] = [await issueCredential(postgres.database), '198.51.100.21'];
    const given = await askToken(app, client);
    const { access_token: accessToken } = given.json<{ access_token: string }>();
    const guess = (n: number) =>
      askToken(app, { clientId: `guess-${n}`, clientSecret: 'x' }, { address });
    let refused = 0;
    for (let sent = 0; refused === 0 && sent < 2000; sent += 50) {
      const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => guess(sent + n)));
      refused = answers.filter(({ statusCode }) => statusCode === 429).length;
    }
    expect(refused).toBeGreaterThan(0);
    // The flood continues during the test.
    const flood = Array.from({ length: 100 }, (_, n) => guess(5000 + n));
    expect((await askToken(app, client, { address })).statusCode).toBe(200);
    expect(await listStatus(accessToken, address)).toBe(200);
    await Promise.all(flood);
  });

  it('gives a client 60 tokens a minute, and then asks it to wait', async () => {
    const client = await issueCredential(postgres.database);
    const begunAt = performance.now();
    const answers: Awaited<ReturnType<typeof askToken>>[] = [];
    while (!answers.some(({ statusCode }) => statusCode === 429) && answers.length < 2000)
      answers.push(...(await Promise.all(Array.from({ length: 70 }, () => askToken(app, client)))));
    const seconds = (performance.now() - begunAt) / 1000;
    const given = answers.filter(({ statusCode }) => statusCode === 200).length;
    expect(given).toBeGreaterThanOrEqual(60);
    // One more token becomes available each second.
    expect(given).toBeLessThanOrEqual(61 + seconds);
    const refused = answers.find(({ statusCode }) => statusCode === 429);
    expect(refused?.json()).toEqual({ error: 'rate_limited' });
    expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(0);
    expect((await askToken(app, await issueCredential(postgres.database))).statusCode).toBe(200);
  });

  it('does not fail for a credential that the views do not know yet', async () => {
    await insertClientSecret(postgres.database, {
      clientId: 'early',
      credentialId: randomUUID(),
      secretHash: hashSecret('secret'),
    });
    expect((await askToken(app, { clientId: 'early', clientSecret: 'secret' })).statusCode).toBe(
      401,
    );
    await viewsAre(postgres.database, null);
    expect((await askToken(app, { clientId: 'early', clientSecret: 'secret' })).statusCode).toBe(
      503,
    );
  });
});

/** Asks until the status is no longer 200. The cache's own spec measures the second, by a clock that it sets. */
const changedStatus = (accessToken: string): Promise<number> =>
  eventually(
    () => listStatus(accessToken),
    (status) => status !== 200,
    { withinMs: 30_000, everyMs: 10 },
  );

describe('a revocation', () => {
  it('between the secret’s comparison and the token leaves no token', async () => {
    const { id, ...client } = await issueCredential(postgres.database);
    const clients = app.get(ClientAuthentication, { strict: false });
    const authenticate = clients.authenticate.bind(clients);
    const slow = jest.spyOn(clients, 'authenticate').mockImplementationOnce(async (...sent) => {
      const credentialId = await authenticate(...sent);
      await credentialSecrets(postgres.database).revoke(credentialId);
      return credentialId;
    });
    const answer = await askToken(app, client);
    slow.mockRestore();
    expect([answer.statusCode, answer.json()]).toEqual([401, { error: 'invalid_client' }]);
    const tokens = await postgres.database.query(
      'select from records.access_tokens where credential_id = $1',
      [id],
    );
    expect(tokens).toHaveLength(0);
  });

  it('soon ends tokens, on a process that has just served them', async () => {
    const { id, ...client } = await issueCredential(postgres.database);
    const answer = await askToken(app, client);
    const { access_token: accessToken } = answer.json<{ access_token: string }>();
    expect(await listStatus(accessToken)).toBe(200);
    await credentialSecrets(postgres.database).revoke(id);
    expect(await changedStatus(accessToken)).toBe(401);
  });
});

describe('a changed list of addresses', () => {
  const elsewhere = '203.0.113.50';

  it('soon counts on a process that has just served, for tokens and requests', async () => {
    const { id, ...client } = await issueCredential(postgres.database);
    const { access_token: accessToken } = (await askToken(app, client)).json<{
      access_token: string;
    }>();
    expect(await listStatus(accessToken)).toBe(200);
    expect(await listStatus(accessToken, elsewhere)).toBe(403);
    await credentialSecrets(postgres.database).allowFrom(id, ['203.0.113.0/24'], 1n);
    expect(await changedStatus(accessToken)).toBe(403);
    expect(await listStatus(accessToken, elsewhere)).toBe(200);
    expect((await askToken(app, client)).statusCode).toBe(403);
    expect((await askToken(app, client, { address: elsewhere })).statusCode).toBe(200);
  });

  it('is what the views tell once they have read of it: records of an old backup do not count', async () => {
    const { id, ...client } = await issueCredential(postgres.database);
    await credentialSecrets(postgres.database).allowFrom(id, ['203.0.113.0/24'], 1n);
    await viewsAre(postgres.database, '-2 minutes');
    expect((await askToken(app, client)).statusCode).toBe(200);
    expect((await askToken(app, client, { address: elsewhere })).statusCode).toBe(403);
  });
});

describe('the end of a credential', () => {
  const ends = async (id: string, inMs: number, revision = 1n): Promise<void> => {
    const end = instantFromMs(Date.now() + inMs);
    await credentialSecrets(postgres.database).endAt(id, end, revision);
  };
  const errorOf = async (accessToken: string): Promise<unknown> => {
    const url = '/api/v4/transactions';
    const headers = signedHeaders({ privateKey, accessToken }, { method: 'GET', url });
    const answer = await app.inject({ url, headers, remoteAddress: allowedAddress });
    return [answer.statusCode, answer.json(), answer.headers['www-authenticate']];
  };

  it('ends its tokens without an announcement, and gives no more of them', async () => {
    const { id, ...client } = await issueCredential(postgres.database);
    await ends(id, 8000);
    const { access_token: accessToken } = (await askToken(app, client)).json<{
      access_token: string;
    }>();
    expect(await listStatus(accessToken)).toBe(200);
    expect(await changedStatus(accessToken)).toBe(401);
    expect(await errorOf(accessToken)).toEqual([
      401,
      { error: 'invalid_token' },
      'Bearer error="invalid_token"',
    ]);
    const refused = await askToken(app, client);
    expect([refused.statusCode, refused.json()]).toEqual([401, { error: 'invalid_client' }]);
    // A wrong secret has the same answer, so that a stranger learns nothing of the end.
    expect((await askToken(app, { ...client, clientSecret: 'x' })).json()).toEqual(refused.json());
  });

  it('soon counts on a process that has just served, and a later one lets the same token in again', async () => {
    const { id, ...client } = await issueCredential(postgres.database);
    const { access_token: accessToken } = (await askToken(app, client)).json<{
      access_token: string;
    }>();
    expect(await listStatus(accessToken)).toBe(200);
    await ends(id, -1);
    expect(await changedStatus(accessToken)).toBe(401);
    await ends(id, 3_600_000, 2n);
    const again = await eventually(
      () => listStatus(accessToken),
      (status) => status === 200,
      { withinMs: 30_000, everyMs: 10 },
    );
    expect(again).toBe(200);
    expect((await askToken(app, client)).statusCode).toBe(200);
  });

  it('is refused before its address is: the first check that fails answers', async () => {
    const { id, ...client } = await issueCredential(postgres.database);
    await ends(id, -1);
    const answer = await askToken(app, client, { address: '203.0.113.9' });
    expect([answer.statusCode, answer.json()]).toEqual([401, { error: 'invalid_client' }]);
  });
});
