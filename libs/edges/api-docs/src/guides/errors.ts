import { errors, errorTerms, type Refusal } from '#edges/api-v4';
import { failures, failureOf, retries, type FailureCode, type Retry } from '#shared/glossary';
import { html, type Html, inlineMarkdown, markdown } from '#shared/html';
import { type OpenApiDocument } from '../document/open-api.js';
import { sections } from '../document/prose.js';
import { commonCodes } from '../reference/calls.js';
import { samplesNamed } from '../reference/client-samples.js';
import { type SitePage } from '../site/page.js';
import { part, table } from '../site/parts.js';

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
      part('Failure codes', failureTable(), { isWide: true }),
      part('The shape of an error', markdown(sections.errors.text), {
        samples: [
          {
            title: 'Response 400',
            code: JSON.stringify(
              { error: 'invalid_phone', detail: 'phone must be digits: 254712345678' },
              null,
              2,
            ),
          },
          {
            title: 'curl',
            language: 'curl',
            code: `signed GET /api/v4/collections/none '' '' -i`,
          },
          ...samplesNamed('handleErrors'),
        ],
      }),
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
          { label: 'Meaning', content: inlineMarkdown(errorTerms[code].meaning.en) },
          { label: 'Next step', content: inlineMarkdown(errorTerms[code].next) },
          { label: 'Safe to retry', content: retryMark(errorTerms[code].retry) },
        ],
      })),
  );
}

/** The `failure_code` of a collection or payout. A code with two meanings has a row for each. */
function failureTable(): Html {
  return table(
    'Failure codes of collections and payouts',
    (Object.keys(failures) as FailureCode[]).flatMap((code) => {
      const [collection, payout] = [failureOf(code, 'collection'), failureOf(code, 'payout')];
      const rows =
        collection === payout
          ? ([['', collection]] as const)
          : ([
              ['', collection],
              [' (payout)', payout],
            ] as const);
      return rows.flatMap(([of, failure]) =>
        failure === undefined
          ? []
          : [
              {
                id: `failure-${code}${of === '' ? '' : '-payout'}`,
                cells: [
                  { label: 'Code', content: html`<code>${code}</code>${of}` },
                  { label: 'Meaning', content: html`${failure.reason.en}` },
                  { label: 'Next step', content: html`${failure.next.en}` },
                  { label: 'Safe to retry', content: retryMark(failure.retry) },
                ],
              },
            ],
      );
    }),
  );
}

function retryMark(retry: Retry): Html {
  return html`<span class="badge ${retry}">${retries[retry].en}</span>`;
}
