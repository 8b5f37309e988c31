/** Text that is HTML already; anything else is escaped on its way into a template. */
export class Html {
  constructor(readonly text: string) {}
}

type Part = Html | string | number | readonly Html[];

/** A piece of HTML. What is filled in is text, unless it is Html. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const filled = strings.map((text, index) => {
    const part = parts[index];
    return part === undefined ? text : text + htmlOf(part);
  });
  return new Html(filled.join(''));
}

function htmlOf(part: Part): string {
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

/** The Markdown that the document uses: headings of level 2, lists, paragraphs, `code`. */
export function fromMarkdown(markdown: string): Html {
  const blocks = markdown.trim().split(/\n{2,}/);
  return html`${blocks.map(block)}`;
}

function block(text: string): Html {
  const lines = text.split('\n');
  if (text.startsWith('## ')) {
    const title = text.slice(3);
    return html`<h2 id="${slug(title)}">${title}</h2>`;
  }
  if (/^1\. /.test(text))
    return html`<ol>
      ${lines.map((line) => item(line, /^[0-9]+\. /))}
    </ol>`;
  if (text.startsWith('- '))
    return html`<ul>
      ${lines.map((line) => item(line, /^- /))}
    </ul>`;
  return html`<p>${inline(text)}</p>`;
}

function item(line: string, mark: RegExp): Html {
  return html`<li>${inline(line.replace(mark, ''))}</li>`;
}

/** A text with `code` in it. */
export function inline(text: string): Html {
  return html`${text
    .split('`')
    .map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))}`;
}

/** What a link to a heading says. */
export function slug(title: string): string {
  return title.toLowerCase().replace(/[^a-z0-9]+/g, '-');
}
