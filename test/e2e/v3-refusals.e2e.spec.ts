import { describe, expect, it } from '@jest/globals';
import { eventually } from '#testing';
import { issueV3, literalText, type V3Client, type Values } from './v3-client.js';
import { allowedHost, useV3Scene, type V3Scene } from './v3-scene.js';

let scene: V3Scene;
let client: V3Client;
useV3Scene((started) => {
  scene = started;
  client = scene.client;
});

describe('an invalid V3 request', () => {
  const good = (): Values => scene.values({ ref: 'NEVER-PUSHED' });
  it('gets its own error, pushes nothing and records nothing', async () => {
    const before = await scene.pushes();
    const otherAccount = await scene.openAccount(await scene.merchantIn('KE'), 'demo');
    const liveAccount = await scene.openAccount(scene.merchantId, 'live');
    const bodies: readonly (readonly [code: string, values: Values])[] = [
      ['invalid_account', { accountNumber: undefined }],
      ['invalid_account', { accountNumber: '1' }],
      ['invalid_account', { accountNumber: Number(scene.accountNumber) }],
      ['invalid_account', { accountNumber: otherAccount }],
      ['invalid_account', { accountNumber: liveAccount }],
      ['invalid_account', { live: 1 }],
      ['invalid_account', { live: undefined }],
      ['invalid_request', { live: 2 }],
      ['invalid_request', { live: true }],
      ['invalid_request', { live: null }],
      ['invalid_reference', { ref: undefined }],
      ['invalid_reference', { ref: 'has space' }],
      ['invalid_reference', { ref: 'x'.repeat(65) }],
      ['invalid_reference', { ref: 'naïve' }],
      ['invalid_phone', { mobileNumber: '712345678' }],
      ['invalid_phone', { mobileNumber: '٢٥٤٧١٢٣٤٥٦٧٨' }],
      ['invalid_amount', { amount: undefined }],
      ['invalid_amount', { amount: 250 }],
      ['invalid_amount', { amount: 250.5 }],
      ['invalid_amount', { amount: '1e3' }],
      ['invalid_amount', { amount: '.5' }],
      ['invalid_amount', { amount: '1.234' }],
      ['invalid_amount', { amount: '-1.00' }],
      ['invalid_amount', { amount: '２５０' }],
      ['invalid_amount', { amount: '0.00' }],
      ['invalid_amount', { amount: '9'.repeat(60_000) }],
      ['invalid_currency', { currency: 'USD' }],
      ['invalid_currency', { currency: 'kes' }],
      ['invalid_request', { callbackUrl: 'https://elsewhere.example/' }],
      ['invalid_request', { callbackUrl: `http://${allowedHost}/` }],
    ];
    for (const [code, differing] of bodies) {
      const { status, body: answer } = await client.collect({ ...good(), ...differing });
      expect({ sent: differing, status, error: answer['error'] }).toEqual({
        sent: differing,
        status: 400,
        error: code,
      });
    }
    expect(await scene.pushes()).toBe(before);
    expect(await scene.history('NEVER-PUSHED')).toEqual([]);
  });

  it('is unauthenticated without a valid signature over the literal text', async () => {
    const before = await scene.pushes();
    const sent = good();
    const text = literalText(sent);
    const body = JSON.stringify(sent);
    const other = await issueV3(scene.service, await scene.merchantIn('KE'));
    await eventually(
      () => other.balance(['KE', scene.accountNumber, 'KES']),
      ({ status }) => status === 404,
    );
    const send = (headers: Record<string, string>, signature?: string) =>
      client.send('POST', '/api/v3/collect/mpesa', {
        body,
        headers: { 'content-type': 'application/json', ...headers },
        ...(signature === undefined ? {} : { signature }),
      });
    const good64 = client.sign(text);
    const refusals: readonly (readonly [string, Promise<{ body: Record<string, unknown> }>])[] = [
      ['invalid_consumer_key', send({ 'x-consumer-key': 'nobody' }, good64)],
      ['invalid_consumer_key', send({ 'x-consumer-key': '' }, good64)],
      ['invalid_signature', send({})],
      ['invalid_signature', send({}, good64.replace(/=+$/, ''))],
      ['invalid_signature', send({}, 'not base64!')],
      ['invalid_signature', send({}, other.sign(text))],
      ['invalid_signature', send({}, client.sign(`${text} `))],
      ['invalid_signature', send({}, client.sign(text.replace('250.00', '250.0')))],
      ['invalid_signature', send({}, client.sign(body))],
      ['invalid_signature', send({ 'x-consumer-key': other.credential.consumerKey }, good64)],
    ];
    for (const [code, answer] of refusals) expect((await answer).body).toEqual({ error: code });
    expect(await scene.pushes()).toBe(before);
    expect(await scene.history('NEVER-PUSHED')).toEqual([]);
  });

  it('is rejected if a member is repeated or the body is not a JSON object', async () => {
    const before = await scene.pushes();
    const sent = good();
    const twice = JSON.stringify(sent).replace('"amount":', '"amount":"250.00","amount":');
    for (const body of [twice, '', '[]', '{', '"text"'])
      expect((await client.post(body, literalText(sent))).body['error']).toBe('invalid_request');
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await client.post('ref=1', literalText(sent), form)).status).toBe(415);
    const tooLarge = await client.post(`{"ref":"${'x'.repeat(70_000)}"}`, '');
    expect([tooLarge.status, tooLarge.headers.has('sunset')]).toEqual([413, true]);
    expect(await scene.pushes()).toBe(before);
  });

  it('needs nothing that only V4 requires: no token, nonce, key or media type', async () => {
    const sent = scene.values({ amount: '01.00', live: '0' });
    const response = await fetch(`${scene.service.baseUrl}/api/v3/collect/mpesa`, {
      method: 'POST',
      headers: {
        'x-consumer-key': client.credential.consumerKey,
        signature: client.sign(literalText(sent)),
      },
      body: Buffer.from(JSON.stringify(sent)),
    });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ amount: '1.00' });
    expect([...response.headers.keys()].filter((name) => /^(x-pp|ratelimit)/.test(name))).toEqual(
      [],
    );
  });
});
