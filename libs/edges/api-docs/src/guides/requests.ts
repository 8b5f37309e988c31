import { html, type Html, inlineMarkdown, markdown, slug } from '#shared/html';
import { type OpenApiDocument } from '../document/open-api.js';
import { securityHeaderNames } from '../document/headers.js';
import { sections } from '../document/prose.js';
import { samplesNamed } from '../reference/client-samples.js';
import { type SitePage } from '../site/page.js';
import { list, part } from '../site/parts.js';
import { fieldList } from '../reference/schema-fields.js';

export function requestsPage(document: OpenApiDocument): SitePage {
  const { parameters } = document.components;
  return {
    address: '/docs/guides/requests',
    title: 'Requests and answers',
    description:
      'The headers of every request and answer of the PesaPost API, amounts, limits, rates, and how to read your own writes.',
    lead: html`<p>
      Requests and answers are JSON in UTF-8. Ignore members of an answer that you do not know,
      because more may be added.
    </p>`,
    parts: [
      part(
        'Amounts and times',
        list([
          '`amount_minor` is an integer of minor units: KES 250.00 is `25000`. Never a float.',
          'The clients return amounts as integers, exact at any size. In JavaScript, that is a `bigint`: `JSON.stringify` throws on one, so write it as text.',
          'Times are RFC 3339 in UTC. Days in filters are days of your account’s time zone.',
        ]),
      ),
      part(
        'Request headers',
        html`${Object.values(parameters).map(
          (one) => html`<div id="${slug(one.name)}">${fieldList([one])}</div>`,
        )}`,
      ),
      part('Response headers', answerHeaders(document)),
      part(
        'Read your own writes',
        html`<p>
            ${inlineMarkdown(
              'A collection or payout by its reference is always up to date. Lists, balances and batches’ sums are views, a moment behind the ledger.',
            )}
          </p>
          ${list([
            'Every answer has `X-PP-Ledger-Position`. Send it as `X-PP-Min-Position`, and the view answers once it has reached that position.',
            'To close a day, send one position as `X-PP-At-Position` to every page, total and balance. Then all figures agree, whatever has happened since.',
          ])}`,
        {
          samples: [
            {
              title: 'curl',
              language: 'curl',
              code: `signed GET /api/v4/accounts/10000001/balance \\
  '' '' -H "X-PP-Min-Position: $POSITION"`,
            },
            ...samplesNamed('readYourWrites'),
          ],
        },
      ),
      part(sections.limits.title, markdown(sections.limits.text)),
    ],
  };
}

function answerHeaders({ components: { headers } }: OpenApiDocument): Html {
  const own = Object.entries(headers).filter(([name]) => !securityHeaderNames.includes(name));
  const fields = own.map(([name, { description, schema }]) => ({
    name,
    description,
    schema,
    required: true,
  }));
  return html`${fieldList(fields)}
    <p class="soft">
      ${inlineMarkdown(`On every answer, with fixed values: ${securityHeaderNames.map((name) => `\`${name}\``).join(', ')}.`)}
    </p>`;
}
