import { customerFailures, type Term } from '#shared/glossary';
import { type Language } from '#shared/html';
import { type Notice } from './codes.js';

/** The words for each failure code that has words of its own on the customer's page. */
export function customerWords(language: Language): Readonly<Record<string, Notice>> {
  const failures = Object.entries<{ readonly title: Term; readonly text: Term }>(customerFailures);
  return Object.fromEntries(
    failures.map(([code, { title, text }]) => [
      code,
      { title: title[language], text: text[language] },
    ]),
  );
}
