import { errorAdvice, errorMeanings, errors, type Refusal, type Retry } from '#edges/api-v4';
import { html, type Html, inlineMarkdown, markdown } from '#shared/html';
import { type OpenApiDocument } from '../document/open-api.js';
import { sections } from '../document/prose.js';
import { commonCodes } from '../reference/calls.js';
import { type SitePage } from '../site/page.js';
import { part, table } from '../site/parts.js';

const retryWords: Readonly<Record<Retry, string>> = {
  yes: 'Yes',
  after_change: 'After a change',
  no: 'No',
};

export function errorsPage(document: OpenApiDocument): SitePage {
  const common = commonCodes(document);
  const codes = Object.keys(errors) as Refusal[];
  return {
    address: '/docs/errors',
    title: 'Errors',
    description:
      'Every error code of the PesaPost API with its status, its meaning, the next step, and if the same call is safe to retry.',
    lead: html`<p>
      Each error has a code that your program can rely on. Retry with the same
      <code>Idempotency-Key</code>, a new nonce and a new signature.
    </p>`,
    parts: [
      part('The shape of an error', markdown(sections.errors.text), {
        samples: [
          {
            title: 'Answer 400',
            code: JSON.stringify(
              { error: 'invalid_phone', detail: 'phone must be digits: 254712345678' },
              null,
              2,
            ),
          },
          {
            title: 'Node',
            language: 'node',
            code: `import { PesaPostError } from '@pesapost/sdk';

try {
  await client.collections.create(order);
} catch (error) {
  if (!(error instanceof PesaPostError)) throw error;
  if (error.kind === 'request') fix(error.detail);
  else if (error.code === 'rail_rejected') tellCustomer();
  else repeatLater(error.idempotencyKey);
}`,
          },
          {
            title: 'curl',
            language: 'curl',
            code: `signed GET /api/v4/collections/none '' '' -i`,
          },
        ],
      }),
      part(
        'Every signed call',
        codeTable(
          'every signed call',
          codes.filter((code) => common.has(code)),
        ),
        { isWide: true },
      ),
      part(
        'Some calls',
        codeTable(
          'some calls',
          codes.filter((code) => !common.has(code)),
        ),
        { isWide: true },
      ),
    ],
  };
}

function codeTable(caption: string, codes: readonly Refusal[]): Html {
  return table(
    `Errors of ${caption}`,
    [...codes]
      .sort((left, right) => errors[left].status - errors[right].status)
      .map((code) => ({
        id: code,
        cells: [
          {
            label: 'Code',
            content: html`<a href="#${code}"><code>${code}</code></a>
              <small>${errors[code].status}</small>`,
          },
          { label: 'Meaning', content: inlineMarkdown(errorMeanings[code]) },
          { label: 'Next step', content: inlineMarkdown(errorAdvice[code].action) },
          { label: 'Safe to retry', content: retryMark(errorAdvice[code].retry) },
        ],
      })),
  );
}

function retryMark(retry: Retry): Html {
  return html`<span class="badge ${retry}">${retryWords[retry]}</span>`;
}
