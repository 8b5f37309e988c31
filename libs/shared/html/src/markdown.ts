import { Marked, type RendererObject, type Tokens } from 'marked';
import { escapeHtml, Html } from './html.js';

/** Links that work on a server. Links to files of the repository lead nowhere there, so only their text is shown. */
const served = /^(?:https?:\/\/|\/docs|\/openapi|#)/;

/** The differences from marked's own HTML: anchors, tables and code that scroll by keyboard, no raw HTML. */
const renderer: RendererObject = {
  heading({ depth, text, tokens }) {
    return `<h${depth} id="${slug(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
  },
  table({ header, rows }) {
    const row = (cells: readonly Tokens.TableCell[], tag: string, attributes = ''): string =>
      `<tr>${cells
        .map(({ tokens }) => `<${tag}${attributes}>${this.parser.parseInline(tokens)}</${tag}>`)
        .join('')}</tr>`;
    const head = row(header, 'th', ' scope="col"');
    const body = rows.map((cells) => row(cells, 'td')).join('\n');
    return `<div class="wide" tabindex="0"><table><thead>${head}</thead><tbody>${body}</tbody></table></div>\n`;
  },
  code: ({ text }) => `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`,
  codespan: ({ text }) => `<code>${escapeHtml(text)}</code>`,
  em({ tokens }) {
    return `*${this.parser.parseInline(tokens)}*`;
  },
  link({ href, tokens }) {
    const text = this.parser.parseInline(tokens);
    return served.test(href) ? `<a href="${escapeHtml(href)}">${text}</a>` : text;
  },
  html: ({ text }) => escapeHtml(text),
  text(token) {
    return 'tokens' in token
      ? this.parser.parseInline(token.tokens)
      : escapeHtml(token.text.replaceAll('\n', ' '));
  },
};

const marked = new Marked({ renderer, async: false });

/** Renders a guide's Markdown as HTML. The text is ours, but no part of it may be raw markup anyway. */
export function markdown(text: string): Html {
  return new Html((marked.parse(text) as string).trimEnd());
}

/** Renders one line of Markdown: code, bold and links. */
export function inlineMarkdown(text: string): Html {
  return new Html(marked.parseInline(text) as string);
}

/** Returns the anchor of a heading. */
export function slug(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}
