import { createHmac, type KeyObject } from 'node:crypto';
import { hmacSha256Hex } from './digest.js';

/** The prefix of webhook headers. */
const serviceName = 'PesaPost';

/** The parts that the signature of a webhook covers. */
export interface WebhookToSign {
  readonly id: string;
  /** Unix seconds, decimal digits. */
  readonly timestamp: string;
  /** The body as it is sent, in UTF-8. */
  readonly body: string;
}

/**
 * Returns the headers by which a receiver of V4 verifies a webhook (WEB-5).
 * @param secrets the newest first; two during a rotation
 * @param options adds the headers of standard-webhooks if they are wanted (WEB-6)
 */
export function webhookHeaders(
  { id, timestamp, body }: WebhookToSign,
  secrets: readonly KeyObject[],
  options: { readonly standard: boolean },
): Record<string, string> {
  const signed = `${id}.${timestamp}.${body}`;
  const digests = secrets.map((secret) => createHmac('sha256', secret).update(signed).digest());
  return {
    [`${serviceName}-Event-Id`]: id,
    [`${serviceName}-Timestamp`]: timestamp,
    [`${serviceName}-Signature`]: digests.map((one) => `v4=${one.toString('hex')}`).join(','),
    ...(options.standard && {
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': digests.map((one) => `v1,${one.toString('base64')}`).join(' '),
    }),
  };
}

/** Returns the header of a V3 webhook (WEB-8). @param consumerKey its UTF-8 bytes */
export function v3WebhookHeaders(body: string, consumerKey: KeyObject): Record<string, string> {
  return { 'X-V3-Signature': hmacSha256Hex(consumerKey, body) };
}
