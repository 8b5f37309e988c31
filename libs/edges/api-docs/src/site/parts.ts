import { type Html, html, inlineMarkdown, slug } from '#shared/html';
import { highlighted } from './highlight.js';
import { type Part, type Sample } from './page.js';

/** Builds a part whose anchor is its title's, or one that is given. */
export function part(title: string, body: Html, more: Partial<Part> = {}): Part {
  return { id: slug(title), title, body, ...more };
}

/** Renders a sample. A sample of a language is hidden while the reader has chosen another one. */
export function sample({ title, code, language, isStep = false }: Sample): Html {
  const kind = language === undefined ? '' : ` sample-${language}`;
  return html`<figure class="sample${kind}">
    <figcaption><span>${title}</span></figcaption>
    <pre class="${isStep ? 'follow' : 'code'}" tabindex="0"><code>${highlighted(code)}</code></pre>
  </figure>`;
}

/** A note with a word that says its kind. */
export function note(kind: 'info' | 'wait' | 'bad', text: string): Html {
  const words = { info: 'Note', wait: 'Take care', bad: 'Warning' };
  return html`<p class="note ${kind}"><b>${words[kind]}:</b> ${inlineMarkdown(text)}</p>`;
}

export function list(items: readonly string[]): Html {
  return html`<ul>
    ${items.map((item) => html`<li>${inlineMarkdown(item)}</li>`)}
  </ul>`;
}

export interface Cell {
  readonly label: string;
  readonly content: Html;
}

/** A table that becomes a list of cards on a phone: each cell then shows its column's label. */
export function table(
  caption: string,
  rows: readonly { id?: string; cells: readonly Cell[] }[],
): Html {
  const [first] = rows;
  return html`<table class="${slug(caption)}">
    <caption>
      ${caption}
    </caption>
    <thead>
      <tr>
        ${first?.cells.map(({ label }) => html`<th scope="col">${label}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        ({ id, cells }) =>
          html`<tr${id === undefined ? undefined : html` id="${id}"`}>${cells.map(({ label, content }) => html`<td data-label="${label}">${content}</td>`)}</tr>`,
      )}
    </tbody>
  </table>`;
}
