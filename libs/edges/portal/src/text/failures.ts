import { failureTerm } from '#shared/glossary';
import { type Language } from '#shared/http';
import { html, type Html } from '#shared/html';

/** A `failure_code` in words, with the code itself in small letters beside them. A code of a later release has no words. */
export function failureText(code: string, language: Language): Html {
  const known = failureTerm(code, language);
  return known === undefined
    ? html`<code>${code}</code>`
    : html`${known.meaning} <small><code>${code}</code></small>`;
}

/** The merchant's next step after a failure, or undefined for a code of a later release. */
export function failureStep(code: string, language: Language): Html | undefined {
  const known = failureTerm(code, language);
  return known && html`<p class="soft">${known.next}</p>`;
}
