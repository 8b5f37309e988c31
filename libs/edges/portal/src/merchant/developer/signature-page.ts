import { html, type Html } from '#shared/html';
import { type Viewer } from '../../access/viewer.js';
import {
  definitions,
  emptyState,
  errorSummary,
  field,
  form,
  notice,
  statusMark,
} from '../../page/parts.js';
import { type Place } from '../place.js';
import { type MerchantTexts } from '../merchant-texts.js';
import { type Debugged, type DebugProblem, type Pasted } from './signature.js';

export interface SignatureModel {
  readonly place: Place;
  readonly pasted: Pasted;
  /** Undefined before a request was pasted. */
  readonly found: Debugged | DebugProblem | undefined;
  /** The credential whose key verifies the signature, or null if none of the merchant's does. */
  readonly verifiedBy: string | null | undefined;
}

/** Shows the string to sign of a pasted request, and the first line in which the client's own differs from it. */
export function signaturePage(
  { place, pasted, found, verifiedBy }: SignatureModel,
  { viewer, texts }: { readonly viewer: Viewer; readonly texts: MerchantTexts },
): Html {
  const { signature: words, common } = texts;
  const problem = found && 'kind' in found ? problemOf(found, pasted, words) : undefined;
  return html`${errorSummary(common.form.invalid, problem ? [problem] : [])}
    <p class="soft">${words.intro}</p>
    <div class="debug">
      ${found && 'lines' in found ? result(found, { pasted, verifiedBy }, words) : undefined}
      <div class="card pasted">
        ${form(viewer, {
          action: `${place.base}/signature`,
          submit: words.compare,
          beside: html`<a class="button secondary" href="${place.base}/signature?${exampleQuery}"
            >${words.example}</a
          >`,
          fields: requestFields(pasted, problem, words),
        })}
      </div>
      ${
        found && 'lines' in found
          ? undefined
          : html`<div class="result">
              ${emptyState(words.noResult.text, words.noResult.todo, 'debugger')}
            </div>`
      }
    </div>`;
}

/** The query with which the page fills in an example. */
export const exampleQuery = 'example=on';

/** A request as a client sends it, to try the page with. */
export const exampleRequest = `POST /api/v4/collections HTTP/1.1
Host: pay.example
Authorization: Bearer <token>
X-PP-Nonce: 3f1c5a7e9b2d4f60
X-PP-Timestamp: 1795860000
Content-Type: application/json

{"amount_minor":25000,"reference":"INV-1"}`;

const methods = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE'] as const;

interface FieldProblem {
  readonly field: 'raw' | 'query' | 'headers';
  readonly text: string;
}

function problemOf(
  problem: DebugProblem,
  { raw }: Pasted,
  words: MerchantTexts['signature'],
): FieldProblem {
  const isRaw = raw.trim() !== '';
  switch (problem.kind) {
    case 'nothing':
      return { field: 'raw', text: words.rawProblems.nothing };
    case 'not_read':
      return { field: 'raw', text: words.rawProblems[problem.why] };
    case 'malformed_query':
      return { field: isRaw ? 'raw' : 'query', text: words.malformedQuery };
    case 'missing_headers':
      return {
        field: isRaw ? 'raw' : 'headers',
        text: words.missingHeaders(problem.headers.join(', '), problem.headers.length),
      };
  }
}

/** One box for the whole request; its parts as fields are folded below it, unless they were used. */
function requestFields(
  pasted: Pasted,
  problem: FieldProblem | undefined,
  words: MerchantTexts['signature'],
): readonly Html[] {
  const of = (name: keyof Pasted, label: string, hint?: string) => ({
    name,
    label,
    value: pasted[name],
    autocomplete: 'off',
    ...(hint !== undefined && { hint }),
    error: problem?.field === name ? problem.text : undefined,
  });
  const area = (...told: Parameters<typeof of>): Html =>
    field({ ...of(...told), type: 'textarea' });
  const isByField = pasted.raw.trim() === '' && (pasted.headers + pasted.body).trim() !== '';
  return [
    html`<div class="raw">${area('raw', words.raw, words.rawHint)}</div>`,
    html`<details ${isByField ? html` open` : undefined}>
      <summary>${words.byField}</summary>
      <p class="hint soft">${words.byFieldHint}</p>
      <div class="pair">
        ${field({
          ...of('method', words.method),
          value: pasted.method.trim().toUpperCase(),
          options: methods.map((method) => [method, method]),
        })}
        ${field(of('path', words.path))}
      </div>
      ${field(of('query', words.query))} ${area('headers', words.headers, words.headersHint)}
      ${area('body', words.body, words.bodyNote)}
    </details>`,
    area('theirs', words.theirs, words.theirsHint),
  ];
}

/** The six lines, with the first one that differs marked, and the check of the signature. */
function result(
  found: Debugged,
  { pasted, verifiedBy }: Pick<SignatureModel, 'pasted' | 'verifiedBy'>,
  words: MerchantTexts['signature'],
): Html {
  const { lines, text, sha256, difference } = found;
  return html`<section class="card result" aria-labelledby="string">
    <h2 id="string">${words.ours}</h2>
    ${comparison(found, words)}
    <ol class="signed">
      ${lines.map((line, index) => signedLine({ line, index, difference }, words))}
    </ol>
    ${definitions([
      [
        'X-PP-Signature',
        verifiedBy === undefined
          ? words.notChecked
          : verifiedBy === null
            ? statusMark('failed', words.notVerified)
            : html`${statusMark('ok', words.verified)} <code>${verifiedBy}</code>`,
      ],
    ])}
    <details class="technical">
      <summary>${words.technical}</summary>
      <pre class="scroll" tabindex="0"><code>${text}</code></pre>
      ${
        pasted.theirs === ''
          ? undefined
          : html`<p>${words.yoursIs}</p>
              <pre class="scroll" tabindex="0"><code>${pasted.theirs}</code></pre>`
      }
      ${definitions([[words.digest, html`<code>${sha256}</code>`]])}
    </details>
  </section>`;
}

function comparison(
  { lines, difference, compared }: Debugged,
  words: MerchantTexts['signature'],
): Html | undefined {
  if (compared === 'same') return notice('done', words.same);
  if (!difference) return undefined;
  const { line } = difference;
  return notice(
    'error',
    line > lines.length ? words.tooMany : words.differs(line, words.lines[line - 1] ?? ''),
  );
}

function signedLine(
  {
    line,
    index,
    difference,
  }: { readonly line: string; readonly index: number; readonly difference: Debugged['difference'] },
  words: MerchantTexts['signature'],
): Html {
  const name = `${index + 1}. ${words.lines[index] ?? ''}`;
  if (difference?.line !== index + 1)
    return html`<li>
      <p class="name">${name}</p>
      <code>${line}</code>
    </li>`;
  return html`<li class="differs">
    <p class="name">${name} ${statusMark('failed', words.differsMark)}</p>
    ${definitions([
      [words.oursIs, html`<code>${difference.ours}</code>`],
      [words.yoursIs, html`<code class="theirs">${difference.theirs}</code>`],
    ])}
  </li>`;
}
