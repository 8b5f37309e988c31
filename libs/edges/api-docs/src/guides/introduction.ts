import { html, type Html, slug } from '#shared/html';
import { type OpenApiDocument } from '../document/open-api.js';
import { callsOf } from '../reference/calls.js';
import { callAddress } from '../site/addresses.js';
import { type SitePage } from '../site/page.js';
import { part } from '../site/parts.js';
import { methodMark, titleOf } from '../site/sidebar.js';

/**
 * Topics with their pages. The anchors are those of the days when all of the documentation was one page, so that old
 * links lead to the place that has the answer now.
 */
const topics: readonly (readonly [anchor: string, title: string, address: string, text: string])[] =
  [
    [
      'quick-start',
      'Quick start',
      '/docs/quick-start',
      'From an empty folder to a completed collection, with a shell, curl and openssl.',
    ],
    [
      'authentication',
      'Authentication and signing',
      '/docs/guides/signing',
      'A token, a source address and a signature for every call.',
    ],
    [
      'signing-walk-through',
      'Signing walk-through',
      '/docs/guides/signing#signing-walk-through',
      'Type a request and see its string to sign, byte for byte.',
    ],
    [
      'order-of-checks',
      'Order of checks',
      '/docs/guides/signing#order-of-checks',
      'The check that answers first, if several fail.',
    ],
    [
      'limits',
      'Requests and answers',
      '/docs/guides/requests',
      'Headers, limits, rates, amounts, and reads of your own writes.',
    ],
    [
      'safe-to-repeat',
      'Idempotency and retries',
      '/docs/guides/idempotency',
      'Repeat a call after a timeout without paying twice.',
    ],
    [
      'webhooks',
      'Webhooks',
      '/docs/webhooks',
      'Each outcome, sent to your endpoint, signed and repeated.',
    ],
    ['errors', 'Errors', '/docs/errors', 'Every code, with the next step.'],
    [
      'test-numbers',
      'Test numbers',
      '/docs/test-numbers',
      'A phone number for every outcome, in demo mode.',
    ],
    [
      'libraries-and-the-checkout-page',
      'Clients and checkout page',
      '/docs/guides/sdk',
      'Libraries for your language, and a payment page that you need not build.',
    ],
    [
      'going-live',
      'Going live',
      '/docs/going-live',
      'The checklist before the first real payment.',
    ],
  ];

export function introductionPage(document: OpenApiDocument): SitePage {
  return {
    address: '/docs',
    title: 'Collect mobile money',
    description:
      'PesaPost’s API collects payments over M-Pesa and pays out, posted once to one ledger. Quick start, guides, errors, webhooks and every call.',
    lead: html`<p>
        A signed request becomes a prompt on the customer’s phone. When M-Pesa confirms, the money
        is posted to your wallet, once.
      </p>
      <p>
        <a class="button" href="/docs/quick-start">Make your first call</a>
        <a class="button plain" href="/docs/test-numbers">Test numbers</a>
      </p>`,
    parts: [
      part('How a collection works', steps, { samples: [request, webhook] }),
      part('Find your way', topicList(), { isWide: true }),
      part('Every call', callList(document), { isWide: true }),
    ],
  };
}

const steps: Html = html`<ol>
    <li>
      <b>You ask.</b> Your server sends <code>POST /api/v4/collections</code> with the phone number,
      the amount and your own reference.
    </li>
    <li>
      <b>The customer decides.</b> The phone shows a prompt. The answer is <code>pending</code>,
      because no money has moved.
    </li>
    <li>
      <b>M-Pesa confirms.</b> The money is posted to your wallet, less the fee, and the collection
      is <code>completed</code>.
    </li>
    <li>
      <b>You hear of it.</b> A webhook reports the outcome.
      <code>GET /api/v4/collections/{reference}</code> says the same.
    </li>
  </ol>
  <p>
    Demo and live are two modes with the same address. The credential decides: demo calls reach a
    simulator, and no real money moves.
  </p>`;

const request = {
  title: 'The request’s body',
  code: `{
  "account_no": "10000001",
  "phone": "254712345678",
  "amount_minor": 25000,
  "currency": "KES",
  "channel": "mpesa",
  "reference": "INV-1001"
}`,
};

const webhook = {
  title: 'The webhook, in part',
  code: `{
  "type": "collection.completed",
  "sequence": 42,
  "data": {
    "reference": "INV-1001",
    "status": "completed",
    "amount_minor": 25000,
    "fee_minor": 375,
    "receipt": "TKL33D3MJ7"
  }
}`,
};

function topicList(): Html {
  return html`<ul class="cards">
    ${topics.map(
      ([id, title, address, text]) =>
        html`<li id="${id}"><a href="${address}">${title}</a> <span>${text}</span></li>`,
    )}
  </ul>`;
}

function callList(document: OpenApiDocument): Html {
  return html`<p>
      For programs: <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1). To generate a client,
      use
      <a href="/openapi.clients.json">openapi.clients.json</a>
      (<a href="/docs/guides/sdk#generated-clients">how</a>).
    </p>
    <ul class="all-calls">
      ${callsOf(document).map(
        (call) =>
          html`<li id="${slug(call.operation.operationId)}">
            <a href="${callAddress(call)}">${titleOf(call.operation)}</a>
            <span>${methodMark(call.method)} <code>${call.path}</code></span>
          </li>`,
      )}
    </ul>`;
}
