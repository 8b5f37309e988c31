import { type Language } from '#shared/http';
import { html, type Html } from '#shared/html';
import { failureOf } from '#shared/glossary';

interface Failed {
  readonly code: string;
  /** Some codes mean something else for a payout. */
  readonly type: 'collection' | 'payout';
  /** The rail that the words name; M-Pesa if absent. */
  readonly channel?: string;
}

/** A `failure_code` in words, with the code itself in small letters beside them. A code of a later release has no words. */
export function failureText({ code, type, channel }: Failed, language: Language): Html {
  const failure = failureOf(code, type, channel);
  return failure === undefined
    ? html`<code>${code}</code>`
    : html`${failure.reason[language]} <small><code>${code}</code></small>`;
}

/** The next step after a failure, or undefined for a code of a later release. */
export function failureAdvice(
  { code, type, channel }: Failed,
  language: Language,
): string | undefined {
  return failureOf(code, type, channel)?.next[language];
}
