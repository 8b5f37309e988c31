import { webhookEvent, webhookEventExample } from '#edges/api-v4';
import { refTo } from '#shared/openapi';
import { type WebhookType } from '#views/webhook-outbox';
import { type OpenApiDocument, type Parameter, type Webhook } from './open-api.js';

const summaries: Readonly<Record<WebhookType, string>> = {
  'collection.completed': 'The customer paid, and the money is in the wallet',
  'collection.failed':
    'The rail refused the push or declined; money that comes later is posted, and collection.completed follows',
  'payout.completed': 'The customer was paid, and the money has left the wallet',
  'payout.failed':
    'The rail did not pay, and what was reserved is available again; should the rail say later that it paid, payout.completed follows',
  'payout.rejected': 'The second holder rejected it, or the funds went meanwhile',
};

/** The headers of every delivery (WEB-5). */
const headers: readonly Parameter[] = [
  {
    name: 'PesaPost-Event-Id',
    in: 'header',
    required: true,
    description: 'The `id` of the body: the same on every delivery of this event.',
    schema: { type: 'string', format: 'uuid' },
    example: webhookEventExample.id,
  },
  {
    name: 'PesaPost-Timestamp',
    in: 'header',
    required: true,
    description: 'Unix seconds of this attempt. Refuse what is older than five minutes.',
    schema: { type: 'string', pattern: '^[0-9]+$' },
    example: '1767225600',
  },
  {
    name: 'PesaPost-Signature',
    in: 'header',
    required: true,
    description:
      'Hex HMAC-SHA256 over `PesaPost-Event-Id.PesaPost-Timestamp.` and the raw body, keyed on the UTF-8 of the endpoint’s secret. Two for 24 h after the secret was rotated: one of them must fit.',
    schema: { type: 'string', pattern: '^v4=[0-9a-f]{64}(?:,v4=[0-9a-f]{64})?$' },
  },
];

/** The deliveries to a merchant's endpoint, by type (WEB-1). */
export function webhooksOfDocument(): OpenApiDocument['webhooks'] {
  return {
    'collection.completed': webhookOf('collection.completed'),
    'collection.failed': webhookOf('collection.failed'),
    'payout.completed': webhookOf('payout.completed'),
    'payout.failed': webhookOf('payout.failed'),
    'payout.rejected': webhookOf('payout.rejected'),
  };
}

function webhookOf(type: WebhookType): { readonly post: Webhook } {
  return {
    post: {
      operationId: type.replace(/\.(.)/, (_dot, first: string) => `Was${first.toUpperCase()}`),
      tags: ['Events'],
      summary: summaries[type],
      description:
        'To the merchant’s endpoint, at least once and in any order: handle an `id` once, and go by `sequence`. What was missed is in `GET /api/v4/events`, byte for byte.',
      security: [],
      parameters: headers,
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: {
              ...refTo(webhookEvent),
              properties: { type: { const: type } },
            },
            ...(type === webhookEventExample.type && { example: webhookEventExample }),
          },
        },
      },
      responses: {
        '2XX': {
          description: 'Any, within 15 s: it is delivered. The answer’s body is not read.',
        },
        '410': { description: 'The endpoint is gone: it is disabled, and nothing more is sent.' },
        default: {
          description:
            'Anything else, a redirect included: it is sent again after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, then every 12 h until 30 days after the event.',
        },
      },
    },
  };
}
