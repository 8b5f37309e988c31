import { html, markdown } from '#shared/html';
import { sections } from '../document/prose.js';
import { samplesNamed } from '../reference/client-samples.js';
import { type SitePage } from '../site/page.js';
import { list, note, part } from '../site/parts.js';

const [forEver = '', repeat = '', prompt = ''] = sections.safeToRepeat.text.split('\n\n');

export const idempotencyPage = (): SitePage => ({
  address: '/docs/guides/idempotency',
  title: 'Idempotency and retries',
  description:
    'How to repeat a payment call after a timeout without paying twice: idempotency keys, references, and the retries that the clients make.',
  lead: html`<p>
    Two guards keep a repeated call from moving money twice: the <code>Idempotency-Key</code> of the
    call, and the <code>reference</code> of the collection or payout.
  </p>`,
  parts: [
    part('A reference is for ever', markdown(forEver)),
    part(
      'Repeat a call',
      html`${markdown(repeat)}
      ${list([
        'Store the key with the order, before the first try. After a crash, any process can then repeat the call.',
        'The same key with the same fields returns the current state with `Idempotent-Replayed: true`.',
        'The same key with other fields is 422 `idempotency_key_reused`. Keys are kept for 30 days.',
        'Each try has a new nonce, a new timestamp and a new signature.',
      ])}`,
      {
        samples: [
          {
            title: 'curl',
            language: 'curl',
            code: `# The same key on every try; signed makes a new nonce.
until signed POST /api/v4/collections '' "$BODY" \\
  -H "Idempotency-Key: $ORDER_KEY" --fail-with-body
do
  sleep 2
done`,
          },
          ...samplesNamed('repeatACall'),
        ],
      },
    ),
    part(
      'Wait for the outcome',
      html`${markdown(prompt)}
      ${note('wait', '`failed` is not final: money that arrives late is still posted, and the status becomes `completed`. Keep listening to webhooks.')}`,
      {
        samples: [
          {
            title: 'curl',
            language: 'curl',
            code: `signed GET /api/v4/collections/INV-1001 '' ''`,
          },
          ...samplesNamed('collect'),
        ],
      },
    ),
    part(
      'If no answer comes',
      list([
        'The call may or may not have arrived. Repeat it with the same key: that is always safe.',
        '`rail_reference: null` means that it is not known if the customer was asked. Wait or ask, and meanwhile do not collect under another reference.',
        'The [table of errors](/docs/errors) says for each code if the same call may be sent again.',
      ]),
    ),
  ],
});
