/** Text that is HTML already. Anything else is escaped when a template includes it. */
export class Html {
  constructor(readonly text: string) {}
}

type Part = Html | string | number | readonly Html[] | undefined;

/** A piece of HTML. Filled-in values are text unless they are Html; undefined adds nothing. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.map((text, index) => text + htmlOf(parts[index])).join(''));
}

function htmlOf(part: Part): string {
  if (part === undefined) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(({ text }) => text).join('');
  return escapeHtml(String(part));
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for an element or a quoted attribute, so that no part of it is markup. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
}
