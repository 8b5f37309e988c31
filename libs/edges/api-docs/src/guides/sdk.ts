import { html, inlineMarkdown } from '#shared/html';
import { samplesNamed } from '../reference/client-samples.js';
import { clientLanguages } from '../site/languages.js';
import { type SitePage } from '../site/page.js';
import { list, part } from '../site/parts.js';

const languageNames = clientLanguages.map(({ title }) => title).join(', ');

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
      'In TypeScript and JavaScript, give your client `signedFetch` as its `fetch`. It signs, retries and renews the token as our client does. It throws if the reference belongs to another item.',
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
    'Any other failure is an error of one type, with a code, its kind and the request’s id.',
  ]),
);

export function sdkPage(baseUrl: string): SitePage {
  return {
    address: '/docs/guides/sdk',
    title: 'Clients and checkout page',
    description: `Use PesaPost’s client for ${languageNames}, or send customers to the hosted checkout page with a signed link.`,
    lead: html`<p>
      A client signs requests, retries safely and verifies webhooks. A shop without a payment page
      of its own needs none: it sends customers to the hosted one.
    </p>`,
    parts: [
      part('Install', list(clientLanguages.map(({ title, needs }) => `**${title}**: ${needs}`)), {
        samples: clientLanguages.map(({ id, title, install }) => ({
          title,
          language: id,
          code: install,
        })),
      }),
      part(
        'Make a client',
        list([
          'Make one client and keep it, because it keeps the token and the key.',
          'The private key is RSA, 2048 bits or more, in PEM; for TypeScript in PKCS#8.',
          'Amounts are integers of minor units, exact at any size.',
        ]),
        { samples: samplesNamed('client') },
      ),
      part(
        'Collect',
        html`<p>
          ${inlineMarkdown('The wait polls for up to 120 s. In a service, act on [webhooks](/docs/webhooks) instead.')}
        </p>`,
        { samples: samplesNamed('collect') },
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
        { samples: samplesNamed('checkoutLink') },
      ),
    ],
  };
}
