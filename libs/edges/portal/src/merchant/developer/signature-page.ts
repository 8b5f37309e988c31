import { html, type Html } from '#shared/html';
import { type Viewer } from '../../access/viewer.js';
import { definitions, errorSummary, field, form, notice, table } from '../../page/parts.js';
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
  return html`${errorSummary(common.form.invalid, problem ? [problem] : [])}
    <p>${words.intro}</p>
    ${found && 'lines' in found ? result(found, verifiedBy, words) : undefined}
    ${form(viewer, {
      action: `${place.base}/signature`,
      submit: words.compare,
      fields: [
        field({ name: 'method', label: words.method, value: pasted.method, maxLength: 10 }),
        field({ name: 'path', label: words.path, value: pasted.path }),
        field({
          name: 'query',
          label: words.query,
          value: pasted.query,
          error: problem?.field === 'query' ? problem.text : undefined,
        }),
        area('headers', words.headers, words.headersHint),
        area('body', words.body, words.bodyNote),
        area('theirs', words.theirs, words.theirsHint),
      ],
    })}`;
}

function problemOf(problem: DebugProblem, words: MerchantTexts['signature']) {
  return problem.kind === 'malformed_query'
    ? { field: 'query', text: words.malformedQuery }
    : { field: 'headers', text: words.missingHeader(problem.header) };
}

function result(
  { lines, text, sha256, difference, compared }: Debugged,
  verifiedBy: string | null | undefined,
  words: MerchantTexts['signature'],
): Html {
  return html`<section aria-labelledby="string">
    <h2 id="string">${words.ours}</h2>
    ${
      difference
        ? html`${notice('error', difference.line > lines.length ? words.tooMany : words.differs(difference.line, words.lines[difference.line - 1] ?? ''))}
          ${definitions([
            [words.oursIs, html`<code>${difference.ours}</code>`],
            [words.yoursIs, html`<code>${difference.theirs}</code>`],
          ])}`
        : compared === 'same'
          ? notice('done', words.same)
          : undefined
    }
    ${table({
      caption: words.ours,
      head: [words.line, '', ''],
      rows: lines.map((line, index) => [index + 1, words.lines[index], html`<code>${line}</code>`]),
      empty: html``,
    })}
    <pre class="scroll" tabindex="0"><code>${text}</code></pre>
    ${definitions([
      [words.digest, html`<code>${sha256}</code>`],
      [
        'X-PP-Signature',
        verifiedBy === undefined
          ? words.notChecked
          : verifiedBy === null
            ? words.notVerified
            : `${words.verified}: ${verifiedBy}`,
      ],
    ])}
  </section>`;
}
