import { html, type Html, inlineMarkdown, slug } from '#shared/html';
import { type OpenApiDocument } from '../document/open-api.js';
import { samplesNamed } from '../reference/client-samples.js';
import { fieldList, fieldsOf } from '../reference/schema-fields.js';
import { type Part, type SitePage } from '../site/page.js';
import { list, note, part, table } from '../site/parts.js';

export function webhooksPage(document: OpenApiDocument): SitePage {
  const { description } = document.webhooks['collection.completed'].post;
  return {
    address: '/docs/webhooks',
    title: 'Webhooks',
    description:
      'The events that PesaPost sends to your endpoint, how to check their signature, and when a delivery is repeated.',
    lead: html`<p>${inlineMarkdown(description)}</p>`,
    parts: [
      catalogue(document),
      delivery(document),
      signatureCheck(),
      retries(document),
      handling(),
      tryIt,
    ],
  };
}

function catalogue(document: OpenApiDocument): Part {
  const rows = Object.entries(document.webhooks).map(([type, { post }]) => ({
    id: slug(type),
    cells: [
      { label: 'Type', content: html`<code>${type}</code>` },
      { label: 'It means', content: inlineMarkdown(`${post.summary}.`) },
    ],
  }));
  return part('Event catalogue', table('Types of events', rows), { isWide: true });
}

function delivery(document: OpenApiDocument): Part {
  const { parameters, requestBody } = document.webhooks['collection.completed'].post;
  const media = requestBody?.content['application/json'];
  const fields = media ? fieldsOf(document, media.schema) : [];
  const body = fieldsOf(document, { $ref: '#/components/schemas/WebhookEvent' });
  const all = [...new Map([...fields, ...body].map((one) => [one.name, one])).values()];
  const isOwn = ({ name }: { readonly name: string }) => !name.includes('.');
  return part(
    'A delivery',
    html`<p>One POST over https for each event.</p>
      <h3>Headers</h3>
      ${fieldList(parameters)}
      <h3>Body</h3>
      ${fieldList(all.filter(isOwn))}
      <details>
        <summary>${all.filter((one) => !isOwn(one)).length} fields of data</summary>
        ${fieldList(all.filter((one) => !isOwn(one)))}
      </details>`,
    {
      samples: [{ title: 'Body', code: JSON.stringify(media?.example, null, 2) }],
    },
  );
}

const signatureCheck = (): Part =>
  part(
    'Check the signature',
    html`<p>
        ${inlineMarkdown('The signature is the hex HMAC-SHA256 over `PesaPost-Event-Id`, a dot, `PesaPost-Timestamp`, a dot and the raw body. The key is the secret that was shown when the endpoint was set.')}
      </p>
      ${list([
        'Use the bytes as they arrived. JSON that was parsed and written again has another signature.',
        'Compare in constant time, and accept if any of the signatures matches: for 24 h after a rotation there are two.',
        'Reject a timestamp that is more than five minutes off.',
        'Answer 400 to a delivery that does not verify.',
      ])}`,
    {
      samples: [
        {
          title: 'In a shell, with the body in a file',
          language: 'curl',
          code: `{ printf '%s.%s.' "$EVENT_ID" "$TIMESTAMP"
  cat body
} | openssl dgst -sha256 -r \\
    -hmac "$WEBHOOK_SECRET"`,
        },
        ...samplesNamed('receiveWebhooks'),
      ],
    },
  );

function retries(document: OpenApiDocument): Part {
  const { responses } = document.webhooks['collection.completed'].post;
  const words: Readonly<Record<string, string>> = { '2XX': 'Any 2xx', default: 'Anything else' };
  // Success first: an object lists its whole numbers before its other keys.
  const inOrder = Object.entries(responses).sort(
    ([left], [right]) => Number(right === '2XX') - Number(left === '2XX'),
  );
  const rows = inOrder.map(([status, { description }]) => ({
    cells: [
      { label: 'You answer', content: html`<b>${words[status] ?? status}</b>` },
      { label: 'Then', content: inlineMarkdown(description) },
    ],
  }));
  return part(
    'Answers and retries',
    html`${table('Your answers', rows)}
    ${list([
      'Answer 204 to a type that you do not use.',
      'After three failures in a row, the service tries the endpoint less often until it answers again.',
      'Redirects are not followed.',
    ])}`,
    { isWide: true },
  );
}

const feed: Html = inlineMarkdown(
  'The [events](/docs/reference/events) have the same bodies in their order, even if a delivery did not arrive. Read them at start and each minute: if the newest delivery is lost, no later one shows the gap.',
);

const handling = (): Part =>
  part(
    'Handle each event once, and miss none',
    html`${list([
        'Handle each `id` once: a unique column, written in the transaction that does the work.',
        '`sequence` counts 1, 2, 3 … without gaps. Keep the last one that you have handled.',
        'The event with the higher `sequence` is the item’s state, whatever arrived last.',
      ])}
      <p>${feed}</p>
      ${note('wait', 'A failed item may be completed later. Do not cancel an order in a way that a payment cannot undo.')}`,
    {
      samples: [
        {
          title: 'curl',
          language: 'curl',
          code: `signed GET /api/v4/events "after_sequence=$LAST" ''`,
        },
        ...samplesNamed('followEvents'),
      ],
      isWide: true,
    },
  );

const tryIt = part(
  'Try it',
  html`<p>
    Your operator sets the endpoint, and shows its secret once. On a machine with the command line,
    the demo events can be forwarded to your own computer, so nothing has to reach it from outside.
  </p>`,
  {
    samples: [
      {
        title: 'Forward demo events, or send a sample',
        code: `npx pesapost webhook listen \\
  --url http://localhost:3000/webhooks
npx pesapost webhook trigger collection.failed \\
  --merchant M --reason "we test our receiver"`,
      },
    ],
  },
);
