import { webhookEvent, webhookEventExample } from '#edges/api-v4';
import { refTo } from '#shared/openapi';
import { type WebhookType } from '#views/webhook-outbox';
import { webhooksTag } from './tags.js';
import { type OpenApiDocument, type Parameter, type Webhook } from './open-api.js';

const summaries: Readonly<Record<WebhookType, string>> = {
  'collection.completed': 'The customer paid, and the money is in the wallet',
  'collection.failed':
    'M-Pesa refused the push or declined the payment. Money that arrives later is posted, and collection.completed follows',
  'payout.completed': 'The customer was paid, and the money has left the wallet',
  'payout.failed':
    'M-Pesa did not pay, and the reserved money is available again. If M-Pesa later reports a payment, payout.completed follows',
  'payout.rejected': 'The payout was rejected or cancelled, or the funds were gone',
};

/** The headers of every delivery (WEB-5). */
const headers: readonly Parameter[] = [
  {
    name: 'PesaPost-Event-Id',
    in: 'header',
    required: true,
    description: 'The `id` of the body. It is the same on every delivery of this event.',
    schema: { type: 'string', format: 'uuid' },
    example: webhookEventExample.id,
  },
  {
    name: 'PesaPost-Timestamp',
    in: 'header',
    required: true,
    description: 'Unix seconds of this attempt. Reject deliveries older than five minutes.',
    schema: { type: 'string', pattern: '^[0-9]+$' },
    example: '1767225600',
  },
  {
    name: 'PesaPost-Signature',
    in: 'header',
    required: true,
    description:
      'Hex HMAC-SHA256 over `PesaPost-Event-Id.PesaPost-Timestamp.` and the raw body, keyed on the UTF-8 of the endpoint’s secret. For 24 h after a rotation there are two signatures, and one of them must match.',
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
      tags: [webhooksTag.name],
      summary: summaries[type],
      description:
        'Sent to the merchant’s endpoint at least once and in any order. Handle each `id` once, and order by `sequence`. `GET /api/v4/events` returns missed events, byte for byte.',
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
          description: 'Delivered, if the answer comes within 15 s. Its body is not read.',
        },
        '410': {
          description: 'The endpoint is gone. It is disabled, and nothing more is sent to it.',
        },
        default: {
          description:
            'Any other answer, including a redirect. The event is sent again after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, then every 12 h until 30 days after the event.',
        },
      },
    },
  };
}
