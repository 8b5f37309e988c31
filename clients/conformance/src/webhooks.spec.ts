import { createHmac } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { type Json } from './driver.js';
import { describeEachClient, factsOf } from './scene.js';

const nowSeconds = 1_767_225_600;
const event =
  '{"id":"event-1","type":"collection.completed","sequence":1,"data":{"amount_minor":9007199254740993}}';

/** A webhook of `event` that is signed with these secrets; `change` replaces parts of the request. */
function webhook(secrets: readonly string[], change: Json = {}): Json {
  const { body = event, timestamp = String(nowSeconds) } = change as Record<string, string>;
  const signature = secrets
    .map((secret) => createHmac('sha256', secret).update(`event-1.${timestamp}.${body}`))
    .map((hmac) => `v4=${hmac.digest('hex')}`)
    .join(',');
  return {
    payload_base64: Buffer.from(body).toString('base64'),
    headers: {
      'PesaPost-Event-Id': 'event-1',
      'PesaPost-Timestamp': timestamp,
      'PesaPost-Signature': signature,
    },
    secrets: ['whsec_1'],
    now_ms: nowSeconds * 1000,
    ...change,
  };
}

/** Replaces one header; undefined removes it. */
const withHeader = (
  name: string,
  value: string | undefined,
  base = webhook(['whsec_1']),
): Json => ({
  ...base,
  headers: { ...(base['headers'] as Json), [name]: value },
});

const id = 'PesaPost-Event-Id';
const timestamp = 'PesaPost-Timestamp';
const signature = 'PesaPost-Signature';
const at = (seconds: number) => webhook(['whsec_1'], { timestamp: String(nowSeconds + seconds) });
const lowerCase = {
  ...webhook(['whsec_1']),
  headers: Object.fromEntries(
    Object.entries(webhook(['whsec_1'])['headers'] as Record<string, string>).map(
      ([name, value]) => [name.toLowerCase(), value],
    ),
  ),
};

const genuine: readonly (readonly [string, Json])[] = [
  ['signed with the secret', webhook(['whsec_1'])],
  ['with header names in lower case', lowerCase],
  ['signed with the old secret and the new one', webhook(['whsec_2', 'whsec_1'])],
  [
    'signed with the old secret, by a receiver that knows both',
    webhook(['whsec_1'], { secrets: ['whsec_2', 'whsec_1'] }),
  ],
  ['300 s old', at(-300)],
  ['300 s ahead', at(300)],
  ['older, within a tolerance of the caller’s', { ...at(-900), tolerance_seconds: 900 }],
];

const refused: readonly (readonly [string, string, Json])[] = [
  ['signed with another secret', 'no_matching_signature', webhook(['whsec_2'])],
  [
    'with another body',
    'no_matching_signature',
    { ...webhook(['whsec_1']), payload_base64: Buffer.from(`${event} `).toString('base64') },
  ],
  ['with another id', 'no_matching_signature', withHeader(id, 'event-2')],
  ['with another timestamp', 'no_matching_signature', withHeader(timestamp, `${nowSeconds + 1}`)],
  ['301 s old', 'timestamp_out_of_tolerance', at(-301)],
  ['301 s ahead', 'timestamp_out_of_tolerance', at(301)],
  ['without an id', 'missing_header', withHeader(id, undefined)],
  ['with an empty signature', 'missing_header', withHeader(signature, '')],
  ['with a signature of another version', 'malformed_signature', withHeader(signature, 'v9=00')],
  [
    'with a signature in capitals',
    'malformed_signature',
    withHeader(signature, `v4=${'AB'.repeat(32)}`),
  ],
  ['with a timestamp that is no number', 'malformed_timestamp', withHeader(timestamp, '1e9')],
  [
    'with a body that is not JSON',
    'malformed_payload',
    webhook(['whsec_1'], { body: '{"id":"event-1"' }),
  ],
  ['with a body that is no event', 'malformed_payload', webhook(['whsec_1'], { body: '[]' })],
];

describeEachClient((scene) => {
  const verify = (request: Json) => scene.driver.request('verify_webhook', request);

  it.each(genuine)('accepts a webhook %s (SDK-17)', async (_name, request) => {
    expect(await verify(request)).toMatchObject({
      id: 'event-1',
      type: 'collection.completed',
      sequence: 1,
      data: { amount_minor: '9007199254740993' },
    });
  });

  it.each(refused)('refuses a webhook %s (SDK-17)', async (_name, code, request) => {
    expect(await factsOf(verify(request))).toEqual({ type: 'webhook', code });
  });

  it.each([[[]], [['']]])('treats the secrets %j as a mistake (SDK-17)', async (secrets) => {
    const request = { ...webhook(['']), secrets };
    expect(await factsOf(verify(request))).toMatchObject({ type: 'mistake' });
  });

  it('passes on a type that it does not know (SDK-12)', async () => {
    const body = event.replace('collection.completed', 'collection.renamed');
    expect(await verify(webhook(['whsec_1'], { body }))).toMatchObject({
      type: 'collection.renamed',
    });
  });
});
