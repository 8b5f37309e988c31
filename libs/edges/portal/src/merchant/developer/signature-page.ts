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
  const problem = found && 'kind' in found ? problemOf(found, words) : undefined;
  const area = (name: keyof Pasted, label: string, hint?: string) =>
    field({
      name,
      label,
      type: 'textarea',
      value: pasted[name],
      autocomplete: 'off',
      ...(hint !== undefined && { hint }),
      error: problem?.field === name ? problem.text : undefined,
    });
  const line = (name: 'method' | 'path' | 'query', label: string, maxLength?: number) =>
    field({
      name,
      label,
      value: pasted[name],
      ...(maxLength !== undefined && { maxLength }),
      error: problem?.field === name ? problem.text : undefined,
    });
  return html`${errorSummary(common.form.invalid, problem ? [problem] : [])}
    <p class="soft">${words.intro}</p>
    <div class="debug">
      ${found && 'lines' in found ? result(found, { pasted, verifiedBy }, words) : undefined}
      <div class="card pasted">
        ${form(viewer, {
          action: `${place.base}/signature`,
          submit: words.compare,
          fields: [
            html`<div class="pair">
              ${line('method', words.method, 10)} ${line('path', words.path)}
            </div>`,
            line('query', words.query),
            area('headers', words.headers, words.headersHint),
            area('body', words.body, words.bodyNote),
            area('theirs', words.theirs, words.theirsHint),
          ],
        })}
      </div>
      ${
        found && 'lines' in found
          ? undefined
          : html`<div class="result">${emptyState(words.noResult.text, words.noResult.todo)}</div>`
      }
    </div>`;
}

function problemOf(problem: DebugProblem, words: MerchantTexts['signature']) {
  return problem.kind === 'malformed_query'
    ? { field: 'query', text: words.malformedQuery }
    : { field: 'headers', text: words.missingHeader(problem.header) };
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
