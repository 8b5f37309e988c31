import { createHmac, createSecretKey } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { v3WebhookHeaders, webhookHeaders } from './webhook-signature.js';

const key = (text: string) => createSecretKey(Buffer.from(text, 'utf8'));
const hmac = (secret: string, text: string) => createHmac('sha256', secret).update(text);
const webhook = { id: 'an-id', timestamp: '1767225600', body: '{"data":{"reference":"Café"}}' };
const signed = `an-id.1767225600.${webhook.body}`;

describe('the headers of a webhook', () => {
  it('contain the id, the time and the signature over both and the body', () => {
    expect(webhookHeaders(webhook, [key('new')], { standard: false })).toEqual({
      'PesaPost-Event-Id': 'an-id',
      'PesaPost-Timestamp': '1767225600',
      'PesaPost-Signature': `v4=${hmac('new', signed).digest('hex')}`,
    });
  });

  it('contain a signature by each secret during a rotation, the new one first', () => {
    const headers = webhookHeaders(webhook, [key('new'), key('old')], { standard: true });
    const [byNew, byOld] = ['new', 'old'].map((secret) => hmac(secret, signed).digest());
    expect(headers['PesaPost-Signature']).toBe(
      `v4=${byNew?.toString('hex')},v4=${byOld?.toString('hex')}`,
    );
    expect(headers['webhook-signature']).toBe(
      `v1,${byNew?.toString('base64')} v1,${byOld?.toString('base64')}`,
    );
  });

  it('match those of standard-webhooks for its published vector', () => {
    // From github.com/standard-webhooks/standard-webhooks: the sign test of its libraries.
    const published = {
      secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      timestamp: '1614265330',
      body: '{"test": 2432232314}',
      signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    };
    const bytes = Buffer.from(published.secret.slice('whsec_'.length), 'base64');
    expect(webhookHeaders(published, [createSecretKey(bytes)], { standard: true })).toMatchObject({
      'webhook-id': published.id,
      'webhook-timestamp': published.timestamp,
      'webhook-signature': published.signature,
    });
  });

  it('contain the body’s HMAC by the consumer key for V3', () => {
    expect(v3WebhookHeaders('{"ref":"Ä"}', key('v3_key'))).toEqual({
      'X-V3-Signature': hmac('v3_key', '{"ref":"Ä"}').digest('hex'),
    });
  });
});
