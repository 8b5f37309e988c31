import { html, type Html, inlineMarkdown, slug } from '#shared/html';
import { type SitePage } from '../site/page.js';
import { part } from '../site/parts.js';

/** The checks before real money moves, by topic: a short name and the way to check. */
const checks: readonly (readonly [title: string, items: readonly (readonly [string, string])[]])[] =
  [
    [
      'Your account',
      [
        [
          'A live credential',
          'Your operator issued it for live mode. Demo credentials never reach real money.',
        ],
        [
          'A key pair of its own',
          'Live and demo have different keys. The private one is in a secret store. See [keys](/docs/guides/signing#keys-and-credentials).',
        ],
        [
          'Source addresses',
          'The credential’s list has the addresses of your production servers, and no others.',
        ],
        [
          'Two holders for payouts',
          'One asks and another approves, each bound to a person or a system. See [payouts](/docs/reference/payouts).',
        ],
      ],
    ],
    [
      'Your code',
      [
        [
          'References are unique for ever',
          'A new order has a new reference, without the customer’s phone number.',
        ],
        [
          'Keys are stored first',
          'You store the `Idempotency-Key` with the order before the first try. See [retries](/docs/guides/idempotency).',
        ],
        [
          '`X-PP-Differs` stops a delivery',
          'An answer with this header is about another request than yours. The SDK throws.',
        ],
        ['Amounts are integers', 'Minor units, as integer or `bigint`, never as a float.'],
        ['Unknown members are ignored', 'Responses and webhooks may get more members.'],
        ['Clocks follow NTP', 'A timestamp may differ from the server’s clock by 300 s.'],
      ],
    ],
    [
      'Webhooks',
      [
        ['The endpoint is public https', 'It answers within 15 s and does slow work afterwards.'],
        [
          'Signatures are verified',
          'Over the raw bytes, before the JSON is parsed. See [webhooks](/docs/webhooks#check-the-signature).',
        ],
        [
          'Each `id` is handled once',
          'Deliveries repeat and overtake each other: order by `sequence`.',
        ],
        [
          'Gaps are filled',
          'At start and each minute, you read the [events](/docs/reference/events) after the last one that you handled.',
        ],
        ['`failed` may become `completed`', 'Your order can still be paid after a failure.'],
      ],
    ],
    [
      'Your tests',
      [
        [
          'Every test number was tried',
          'See [the numbers](/docs/test-numbers). Try above all those whose callback or answer is lost.',
        ],
        [
          'A timeout was tried',
          'The connection breaks after you sent the call; the repeated call pays once.',
        ],
        ['A rotation was tried', 'A new webhook secret and a new key, without a lost event.'],
      ],
    ],
    [
      'Your operations',
      [
        [
          'Days are reconciled',
          'You compare the completed transactions of a day with the statement. See [lists](/docs/reference/transactions).',
        ],
        ['Request ids are logged', 'Quote `X-Request-Id` when you ask for help.'],
        [
          'The first payment is your own',
          'Collect a small amount from your own phone, and see it in your balance.',
        ],
      ],
    ],
  ];

export const goingLivePage: SitePage = {
  address: '/docs/going-live',
  title: 'Going live',
  description:
    'The checklist before the first real payment with PesaPost: credentials, keys, retries, webhooks, tests and reconciliation.',
  lead: html`<p>
    Live mode has the same address and the same calls as demo mode. Tick these off before you change
    the credential. Your browser may keep the ticks; they are sent nowhere.
  </p>`,
  parts: checks.map(([title, items]) => part(title, checklist(title, items))),
};

function checklist(topic: string, items: readonly (readonly [string, string])[]): Html {
  return html`<ul class="checklist">
    ${items.map(([title, text], index) => {
      const id = `${slug(topic)}-${index + 1}`;
      return html`<li>
        <input type="checkbox" id="${id}" autocomplete="off" aria-labelledby="${id}-title" />
        <div>
          <label for="${id}" id="${id}-title">${inlineMarkdown(title)}</label>
          <p>${inlineMarkdown(text)}</p>
        </div>
      </li>`;
    })}
  </ul>`;
}
