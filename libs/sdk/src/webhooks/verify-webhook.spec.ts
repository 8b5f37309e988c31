import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  verifyWebhook,
  type WebhookProblem,
  type WebhookToVerify,
  WebhookVerificationError,
} from './verify-webhook.js';

const secret = 'whsec_new';
const oldSecret = 'whsec_old';
const now = 1_767_225_600_000;
const timestamp = '1767225600';
const id = '0193f9a2-7c3e-7a11-8a55-0c6f3a3b2d11';
const payload = JSON.stringify({
  id,
  type: 'collection.completed',
  created_at: '2026-01-01T00:00:00.000Z',
  mode: 'demo',
  sequence: 1,
  data: { reference: 'Café-1', status: 'completed', amount_minor: 25_000 },
});

const hmac = (key: string, text: string): string =>
  createHmac('sha256', key).update(text).digest('hex');
const signature = (key = secret, text = `${id}.${timestamp}.${payload}`): string =>
  `v4=${hmac(key, text)}`;
const headersWith = (changed: Record<string, string> = {}): Record<string, string> => ({
  'pesapost-signature': signature(),
  'pesapost-event-id': id,
  'pesapost-timestamp': timestamp,
  ...changed,
});
const genuine: WebhookToVerify = { payload, headers: headersWith(), secrets: secret, now };

describe('a genuine webhook', () => {
  it.each([
    ['text and headers of Node', {}],
    ['bytes', { payload: Buffer.from(payload) }],
    ['an ArrayBuffer', { payload: new TextEncoder().encode(payload).buffer }],
    ['headers of the Fetch API', { headers: new Headers(headersWith()) }],
    ['headers as written', { headers: capitalised(headersWith()) }],
    ['headers of Node in lists', { headers: lists(headersWith()) }],
  ])('is read from %s', async (_, change) => {
    const event = await verifyWebhook({ ...genuine, ...change });
    expect(event).toMatchObject({ id, sequence: 1, data: { amount_minor: 25_000n } });
  });

  it('may have a type and members unknown to this version', async () => {
    const body = '{"id":"1","type":"refund.sent","data":{"status":"new"},"more":[{"x_minor":5}]}';
    const headers = headersWith({
      'pesapost-signature': signature(secret, `${id}.${timestamp}.${body}`),
    });
    expect(await verifyWebhook({ ...genuine, payload: body, headers })).toEqual({
      id: '1',
      type: 'refund.sent',
      data: { status: 'new' },
      more: [{ x_minor: 5n }],
    });
  });

  it.each([
    ['both signatures, the new secret', `${signature()},${signature(oldSecret)}`, secret],
    ['both signatures, the old secret', `${signature()}, ${signature(oldSecret)}`, oldSecret],
    ['the old signature, both secrets', signature(oldSecret), [secret, oldSecret]],
    ['a signature of a later scheme beside it', `v5=abc,${signature()}`, secret],
  ])('is read while a secret is rotated: %s', async (_, text, secrets) => {
    const headers = headersWith({ 'pesapost-signature': text });
    await expect(verifyWebhook({ ...genuine, headers, secrets })).resolves.toMatchObject({ id });
  });

  it.each([-300, 300])(
    'is accepted %s s away from now, and not a second further',
    async (seconds) => {
      const at = (offset: number) => verifyWebhook({ ...genuine, now: now + offset * 1000 });
      await expect(at(seconds)).resolves.toMatchObject({ id });
      expect(await problemOf(at(seconds + Math.sign(seconds)))).toBe('timestamp_out_of_tolerance');
    },
  );
});

describe('a webhook is not genuine', () => {
  const without = (name: string) =>
    Object.fromEntries(Object.entries(headersWith()).filter(([key]) => key !== name));
  const other = (changed: Record<string, string>) => ({ headers: headersWith(changed) });

  it.each<[string, Partial<WebhookToVerify>, WebhookProblem]>([
    ['without a signature', { headers: without('pesapost-signature') }, 'missing_header'],
    ['without an id', { headers: without('pesapost-event-id') }, 'missing_header'],
    ['without a timestamp', { headers: without('pesapost-timestamp') }, 'missing_header'],
    ['with two ids', { headers: { ...headersWith(), 'PesaPost-Event-Id': id } }, 'missing_header'],
    ['with another body', { payload: payload.replace('25000', '25001') }, 'no_matching_signature'],
    [
      'with its body written again',
      { payload: JSON.stringify(JSON.parse(payload), null, 1) },
      'no_matching_signature',
    ],
    ['with another id', other({ 'pesapost-event-id': `${id}x` }), 'no_matching_signature'],
    [
      'with another timestamp',
      other({ 'pesapost-timestamp': '1767225601' }),
      'no_matching_signature',
    ],
    ['with the signature of another secret', { secrets: oldSecret }, 'no_matching_signature'],
    [
      'with a moved border of id and timestamp',
      other({ 'pesapost-event-id': `${id}.1`, 'pesapost-timestamp': '767225600' }),
      'no_matching_signature',
    ],
    ['with a timestamp in words', other({ 'pesapost-timestamp': 'now' }), 'malformed_timestamp'],
    ['with a timestamp in hex', other({ 'pesapost-timestamp': '0x10' }), 'malformed_timestamp'],
    [
      'with a signature of V3',
      other({ 'pesapost-signature': hmac(secret, 'x') }),
      'malformed_signature',
    ],
    [
      'with a shortened signature',
      other({ 'pesapost-signature': signature().slice(0, -2) }),
      'malformed_signature',
    ],
    [
      'with a signature in upper case',
      other({ 'pesapost-signature': signature().toUpperCase() }),
      'malformed_signature',
    ],
    ['with a timestamp that no clock can judge', { now: Number.NaN }, 'timestamp_out_of_tolerance'],
    ['if only its ninth signature is right', nine(), 'no_matching_signature'],
  ])('%s', async (_, change, code) => {
    expect(await problemOf(verifyWebhook({ ...genuine, ...change }))).toBe(code);
  });

  it.each(['null', '[]', '{}', 'text', '{"id":"1","type":"x","data":null}'])(
    'with the signed payload %s',
    async (body) => {
      const text = signature(secret, `${id}.${timestamp}.${body}`);
      const headers = headersWith({ 'pesapost-signature': text });
      const verified = verifyWebhook({ ...genuine, payload: body, headers });
      expect(await problemOf(verified)).toBe('malformed_payload');
    },
  );

  it.each([
    ['a parsed object', JSON.parse(payload) as unknown],
    ['nothing', undefined],
    ['null', null],
    ['a number', 1],
    ['other views than bytes', new Uint16Array(2)],
  ])('with %s as its body, and the error says what to pass', async (_, wrong) => {
    const verified = verifyWebhook({ ...genuine, payload: wrong as string });
    await expect(verified).rejects.toBeInstanceOf(WebhookVerificationError);
    await expect(verified).rejects.toThrow(/Uint8Array or ArrayBuffer.*express\.raw/);
  });

  it('if there is no secret to verify with', async () => {
    for (const secrets of ['', [], [secret, '']])
      await expect(verifyWebhook({ ...genuine, secrets })).rejects.toThrow(TypeError);
  });
});

function nine(): Partial<WebhookToVerify> {
  const parts = [...Array.from({ length: 8 }, () => `v4=${'0'.repeat(64)}`), signature()];
  return { headers: headersWith({ 'pesapost-signature': parts.join(',') }) };
}

function capitalised(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
  );
}

function lists(headers: Record<string, string>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
}

async function problemOf(verified: Promise<unknown>): Promise<string> {
  const error: unknown = await verified.catch((thrown: unknown) => thrown);
  if (!(error instanceof WebhookVerificationError)) throw new Error('it was taken for a webhook');
  expect(error.message).not.toContain(secret);
  return error.code;
}
