/** Text that is HTML already; anything else is escaped on its way into a template. */
export class Html {
  constructor(readonly text: string) {}
}

type Part = Html | string | number | readonly Html[] | undefined;

/** A piece of HTML. What is filled in is text, unless it is Html; undefined is nothing. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.map((text, index) => text + htmlOf(parts[index])).join(''));
}

/** A text in which M-Pesa is one word: a line must not end at its hyphen. */
export function words(text: string): Html {
  return html`${text
    .split('M-Pesa')
    .map((part, index) =>
      index === 0 ? html`${part}` : html`<span class="word">M-Pesa</span>${part}`,
    )}`;
}

function htmlOf(part: Part): string {
  if (part === undefined) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(({ text }) => text).join('');
  return escape(String(part));
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
}
