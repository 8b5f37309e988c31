import { modesWithMoney } from '#shared/glossary';
import { html, type Html } from '#shared/html';
import { type Language, languages } from '#shared/http';
import { scriptAddress } from './script.js';
import { styleElement } from './style.js';
import { textsIn } from './texts-in.js';

/** The place of a page: the route (`/checkout`, or V3's) and the link's query, both as they were asked for. */
export interface Place {
  readonly path: string;
  readonly rawQuery: string;
  readonly language: Language;
}

/**
 * Returns the address of the same link in a language. The language is in the path, because the query must stay exactly
 * as the merchant signed it.
 */
export function addressIn({ path, rawQuery }: Place, language: Language): string {
  return `${path}/${language}${rawQuery === '' ? '' : `?${rawQuery}`}`;
}

/** The parts around the content that every page has. */
export interface Page {
  readonly title: string;
  readonly place: Place;
  readonly isDemo: boolean;
  readonly content: Html;
  /** Seconds after which the page loads again; absent if no change is expected. */
  readonly refreshSeconds?: number;
  /** The address that the page leads to by itself, with or without a script. */
  readonly leadsTo?: { readonly href: string; readonly seconds: number };
}

/** Returns the whole document as bytes, because a string would be written as JSON. */
export function documentOf(page: Page): Buffer {
  const { title, place, isDemo, content, refreshSeconds, leadsTo } = page;
  const texts = textsIn(place.language);
  const text = html`<!doctype html>
    <html lang="${place.language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width,initial-scale=1" />
        <meta name="robots" content="noindex" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        ${refreshSeconds === undefined ? undefined : refresh(refreshSeconds)}
        ${leadsTo && html`<meta http-equiv="refresh" content="${leadsTo.seconds}; url=${leadsTo.href}" />`}
        <link rel="icon" href="data:," />
        ${styleElement}
        <script src="${scriptAddress}" defer></script>
      </head>
      <body>
        <div class="page">
          <div class="top">
            ${isDemo ? html`<p class="demo">${modesWithMoney(place.language).demo}</p>` : undefined}
            <nav class="tongue" aria-label="${texts.language}">
              ${languages.filter((language) => language !== place.language).map((language) => html`<a href="${addressIn(place, language)}" lang="${language}" hreflang="${language}">${textsIn(language).name}</a>`)}
            </nav>
          </div>
          <main>${content}</main>
        </div>
      </body>
    </html> `;
  return Buffer.from(text.text);
}

/**
 * Without a script the page loads again by itself. With one, the script asks if anything changed, and the slower
 * refresh serves only if the script did not load. A browser uses the first that it finds.
 */
function refresh(seconds: number): Html {
  return html`<noscript><meta http-equiv="refresh" content="${seconds}" /></noscript
    ><meta http-equiv="refresh" content="${Math.max(30, 4 * seconds)}" />`;
}

/** Returns a text in which M-Pesa stays whole: a line must not break at its hyphen. */
export function unbroken(text: string): Html {
  return html`${text
    .split('M-Pesa')
    .map((part, index) =>
      index === 0 ? html`${part}` : html`<span class="word">M-Pesa</span>${part}`,
    )}`;
}
