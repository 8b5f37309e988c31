import { apiErrors } from './api-errors.js';
import { failures } from './failures.js';
import { deliveryStates, itemTypes, modeNotes, modes, roles, statuses } from './labels.js';
import { retries } from './retry.js';
import { reviewCauses } from './review-causes.js';
import { type Term } from './term.js';

/** The reference page of the glossary, in Markdown: docs/reference/glossary.md. */
export function glossaryPage(): string {
  const parts = [
    '# Glossary',
    'The words for each code, in English and Swahili. `npm run golden` writes this page from `libs/shared/glossary`. The portal, `/docs`, the checkout page and the command line show the same words.',
    ...section('Statuses', table(['code', 'English', 'Swahili'], rowsOf(statuses))),
    ...section('Types', table(['code', 'English', 'Swahili'], rowsOf(itemTypes))),
    ...section(
      'Modes',
      table(
        ['code', 'English', 'Swahili'],
        Object.entries(modes).map(([code, { en, sw }]) => {
          const note: Term = modeNotes[code as keyof typeof modeNotes];
          return [mono(code), `${en}: ${note.en}`, `${sw}: ${note.sw}`];
        }),
      ),
    ),
    ...section('Roles', table(['code', 'English', 'Swahili'], rowsOf(roles))),
    ...section('Webhook deliveries', table(['code', 'English', 'Swahili'], rowsOf(deliveryStates))),
    ...section(
      'Failure codes',
      'A new attempt needs a new reference. A failure is not final: money that arrives late is still posted.',
      table(
        ['code', 'English', 'Swahili', 'next step', 'safe to retry'],
        Object.entries(failures).map(([code, { reason, next, retry }]) => [
          ...[mono(code), reason.en, reason.sw],
          ...[next.en, retries[retry].en],
        ]),
      ),
    ),
    ...section(
      'Errors of the API',
      'Statuses and rules are in [Errors](errors.md).',
      table(
        ['code', 'English', 'Swahili', 'safe to retry'],
        Object.entries(apiErrors).map(([code, { meaning, retry }]) => [
          ...[mono(code), meaning.en, meaning.sw],
          retries[retry].en,
        ]),
      ),
    ),
    ...section('Causes of reviews', table(['code', 'English', 'Swahili'], rowsOf(reviewCauses))),
  ];
  return `${parts.join('\n\n')}\n`;
}

function section(title: string, ...paragraphs: readonly string[]): readonly string[] {
  return [`## ${title}`, ...paragraphs];
}

function rowsOf(terms: Readonly<Record<string, Term>>): readonly (readonly string[])[] {
  return Object.entries(terms).map(([code, { en, sw }]) => [mono(code), en, sw]);
}

function mono(code: string): string {
  return `\`${code}\``;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}
