import { createHash, generateKeyPairSync } from 'node:crypto';
import { type Service, signedHeaders, startService } from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const refused = (detail: string) => ({
  status: 400,
  body: { error: 'invalid_request', detail },
});

describe('input that a call does not know', () => {
  it('is rejected by name in the query of every route', async () => {
    const { merchant } = service;
    const { accountNo } = merchant.credentials;
    for (const path of [
      `/api/v4/accounts/${accountNo}/balance?as_of=2026-01-01`,
      '/api/v4/collections/INV-1?as_of=2026-01-01',
      '/api/v4/transactions?as_of=2026-01-01',
      '/api/v4/events?as_of=2026-01-01',
    ])
      expect(await merchant.get(path)).toMatchObject(
        refused('"as_of" is not a parameter of this call.'),
      );
    expect(
      await merchant.send('POST', '/api/v4/collections?dry_run=1', {
        body: JSON.stringify({
          account_no: accountNo,
          phone: '254712345678',
          amount_minor: 100,
          currency: 'KES',
          channel: 'mpesa',
          reference: 'DRY-1',
        }),
        headers: { 'idempotency-key': 'dry-1' },
      }),
    ).toMatchObject(refused('"dry_run" is not a parameter of this call.'));
    expect((await merchant.get('/api/v4/collections/DRY-1')).status).toBe(404);
  });

  it('is rejected by name in a body, and nothing is recorded', async () => {
    const fields = { reference: 'META-1', metadata: { order: 7 } };
    expect(await service.merchant.collect(fields)).toMatchObject(
      refused('"metadata" is not a field of this call.'),
    );
    expect((await service.merchant.get('/api/v4/collections/META-1')).status).toBe(404);
  });

  it('is rejected in the query of the token call, once the client is known', async () => {
    const { clientId, clientSecret } = service.merchant.credentials;
    const ask = (secret: string) =>
      fetch(`${service.baseUrl}/api/v4/oauth/token?scope=all`, {
        method: 'POST',
        headers: {
          authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: 'grant_type=client_credentials',
      });
    expect((await ask('wrong')).status).toBe(401);
    const answer = await ask(clientSecret);
    expect({ status: answer.status, body: await answer.json() }).toEqual(
      refused('"scope" is not a parameter of this call.'),
    );
  });
});

describe('a refused signature in demo mode', () => {
  const url = '/api/v4/transactions?limit=1';

  async function detailOf(headers: Record<string, string>) {
    const answer = await fetch(service.baseUrl + url, { headers });
    const body = (await answer.json()) as { error: string; detail: string };
    return { status: answer.status, code: body.error, detail: body.detail };
  }

  it('contains the string that was verified, line by line, and the server’s time', async () => {
    const signer = await service.merchant.signIn();
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const timestamp = String(Math.floor(Date.now() / 1000));
    const headers = signedHeaders({ ...signer, privateKey }, { method: 'GET', url, timestamp });
    const { status, code, detail } = await detailOf(headers);
    expect([status, code]).toEqual([401, 'invalid_signature']);
    const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
    const nonce = headers['x-pp-nonce'] ?? '';
    const lines = ['GET', '/api/v4/transactions', 'limit=1', sha256(''), nonce, timestamp];
    expect(detail).toContain(sha256(lines.join('\n')));
    expect(detail).toContain(
      `method "GET", path "/api/v4/transactions", query "limit=1", body SHA-256 "${sha256('')}", nonce "${nonce}", timestamp "${timestamp}"`,
    );
    expect(detail).toMatch(/The server’s time is \d{4}-\d{2}-\d{2}T[\d:.]+Z\.$/);
  });

  it('contains the server’s time if the timestamp is too old', async () => {
    const timestamp = String(Math.floor(Date.now() / 1000) - 3600);
    const signer = await service.merchant.signIn();
    const { code, detail } = await detailOf(
      signedHeaders(signer, { method: 'GET', url, timestamp }),
    );
    expect(code).toBe('timestamp_expired');
    const [told = ''] = /\d{4}-\d{2}-\d{2}T[\d:.]+Z/.exec(detail) ?? [];
    expect(Math.abs(Date.parse(told) - Date.now())).toBeLessThan(60_000);
  });
});
