import { html, inlineMarkdown } from '#shared/html';
import { type SitePage } from '../site/page.js';
import { list, part } from '../site/parts.js';

const makeClient = (baseUrl: string): string => `import { readFileSync } from 'node:fs';
import { PesaPost } from '@pesapost/sdk';

const client = new PesaPost({
  baseUrl: '${baseUrl}',
  clientId: process.env.CLIENT_ID,
  clientSecret: process.env.CLIENT_SECRET,
  privateKey: readFileSync('merchant.key', 'utf8'),
});`;

const collect = `await client.collections.create({
  account_no: '10000001',
  phone: '254712345678',
  amount_minor: 25_000, // KES 250.00
  currency: 'KES',
  channel: 'mpesa',
  reference: 'INV-1001',
});
const settled =
  await client.collections.waitUntilSettled('INV-1001');
console.log(settled.status, settled.receipt);`;

const generate = (baseUrl: string): string =>
  `npx @hey-api/openapi-ts -o src/pesapost \\
  -i ${baseUrl}/openapi.clients.json`;

const callGenerated = (baseUrl: string): string => `import { signedFetch } from '@pesapost/sdk';
import { createClient } from './pesapost/client';
import { createCollection } from './pesapost';

const client = createClient({
  baseUrl: '${baseUrl}',
  fetch: signedFetch({ baseUrl: '${baseUrl}', ...credential }),
});
const { data, error } = await createCollection({
  client,
  headers: { 'Idempotency-Key': 'order-1001' },
  body: collection,
});`;

const generatedClients = (baseUrl: string) =>
  part(
    'Generated clients',
    list([
      'Generate from [openapi.clients.json](/openapi.clients.json). It has every call of openapi.json, but no webhooks, which some generators read as calls.',
      'It leaves out `X-PP-Signature`, `X-PP-Nonce` and `X-PP-Timestamp`. Add them, and the access token, in your client’s hook for requests, over the finished request ([signing](/docs/guides/signing)).',
      'In TypeScript and JavaScript, give your client `signedFetch` as its `fetch`. It signs, retries and renews the token as the SDK does. It throws if the reference belongs to another item.',
    ]),
    {
      samples: [
        { title: 'Shell', code: generate(baseUrl) },
        { title: 'TypeScript', code: callGenerated(baseUrl) },
      ],
    },
  );

const retries = part(
  'Retries',
  list([
    'The client repeats a call after a broken connection, a timeout, 429, 503 and 409 `idempotency_in_progress`.',
    'Each try has the same `Idempotency-Key` and the same bytes, with a new nonce and timestamp.',
    'Any other error is thrown as a `PesaPostError`, with `code`, `kind` and `requestId`.',
  ]),
);

export function sdkPage(baseUrl: string): SitePage {
  return {
    address: '/docs/guides/sdk',
    title: 'SDK and checkout page',
    description:
      'Use PesaPost’s SDK for Node, Deno and Bun, or send customers to the hosted checkout page with a signed link.',
    lead: html`<p>
      The SDK signs requests, retries safely and verifies webhooks. A shop without a payment page of
      its own needs neither: it sends customers to the hosted one.
    </p>`,
    parts: [
      part(
        'Install',
        list([
          'Node 20 or later, Deno (`npm:@pesapost/sdk`) or Bun.',
          'ESM and CommonJS with types, no dependency, only web standards.',
        ]),
        { samples: [{ title: 'Shell', code: 'npm install @pesapost/sdk' }] },
      ),
      part(
        'Make a client',
        list([
          'Make one client and keep it: it keeps the token and the key. Its calls may run side by side.',
          '`privateKey` is RSA, 2048 bits or more, in PKCS#8 PEM.',
          'Amounts are returned as `bigint`, exact at any size.',
        ]),
        {
          samples: [
            {
              title: 'Node',
              code: makeClient(baseUrl),
            },
          ],
        },
      ),
      part(
        'Collect',
        html`<p>
          ${inlineMarkdown('`waitUntilSettled` polls for up to 120 s. In a service, act on [webhooks](/docs/webhooks) instead.')}
        </p>`,
        {
          samples: [
            {
              title: 'Node',
              code: collect,
            },
          ],
        },
      ),
      retries,
      generatedClients(baseUrl),
      part(
        'The checkout page',
        html`<p>
            The hosted page shows your name, the amount and the order. It asks for the M-Pesa
            number, follows the payment, and leads back to your shop with a signed result.
          </p>
          ${list([
            'One HMAC makes the link and one checks the result, so it needs no library.',
            'It works on cheap phones, without JavaScript, in English and Swahili.',
            'The repository’s guide, take-payments-on-the-checkout-page.md, has the parameters.',
          ])}`,
      ),
    ],
  };
}
