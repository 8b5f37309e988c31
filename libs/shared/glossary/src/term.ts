import type { Language } from '#shared/html';

/** A word or a sentence in each language. */
export type Term = Readonly<Record<Language, string>>;

/** The words of a table of terms in one language. */
export function wordsIn<Code extends string>(
  terms: Readonly<Record<Code, Term>>,
  language: Language,
): Readonly<Record<Code, string>> {
  const words = Object.entries<Term>(terms).map(([code, term]) => [code, term[language]]);
  return Object.fromEntries(words) as Record<Code, string>;
}
