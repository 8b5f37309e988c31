import { brandMark, type Html, html } from '#shared/html';
import { type FileAddresses } from './files.js';
import { languages } from './languages.js';
import { type Part, type SitePage } from './page.js';
import { sample } from './parts.js';
import { sidebar, type SidebarGroup } from './sidebar.js';

/** The parts of the site that every page needs. */
export interface Site {
  readonly files: FileAddresses;
  readonly groups: readonly SidebarGroup[];
}

/** Returns a page of the site as a document. */
export function documentOf(page: SitePage, site: Site): string {
  const main = html`<main id="content" tabindex="-1">
    <div class="row opening">
      <div class="prose">
        <h1>${page.title}</h1>
        <div class="lead">${page.lead}</div>
      </div>
      ${contents(page)}
    </div>
    ${page.parts.map(row)} ${neighbours(page, site)}
  </main>`;
  return shell({
    title: page.address === '/docs' ? 'PesaPost API' : `${page.title} – PesaPost API`,
    description: page.description,
    files: site.files,
    scripts: page.script === undefined ? ['page'] : ['page', page.script],
    body: html`<header class="top">
        <button class="menu" type="button" popovertarget="sidebar">Menu</button>
        ${brand} ${languageChoice(page)}
        <a class="machine" href="/openapi.json">openapi.json</a>
        <a class="portal" href="/portal">Portal</a>
      </header>
      <div class="frame">${sidebar(site.groups, page.address)} ${main}</div>`,
  }).text;
}

export const brand = html`<a class="brand" href="/docs"
  >${brandMark}PesaPost <span class="product">API</span></a
>`;

export interface Shell {
  readonly title: string;
  readonly description: string;
  readonly files: FileAddresses;
  readonly scripts: readonly ('page' | 'walk-through')[];
  readonly body: Html;
}

/** Returns the document around a body: its head, and the link that skips to the content. */
export function shell({ title, description, files, scripts, body }: Shell): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="description" content="${description}" />
        <title>${title}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="${files.style}" />
        ${scripts.map((name) => html`<script type="module" src="${files[name]}"></script>`)}
      </head>
      <body>
        <a class="skip" href="#content">Skip to the content</a>
        ${body}
      </body>
    </html> `;
}

/** The choice of the samples' language, if the page has samples in several. */
function languageChoice({ parts }: SitePage): Html | undefined {
  const samples = parts.flatMap((part) => part.samples ?? []);
  if (new Set(samples.map(({ language }) => language)).size < 3) return undefined;
  return html`<label class="languages" for="language"
    ><span>Language of the samples</span>
    <select id="language" autocomplete="off">
      ${languages.map(({ id, title }) => html`<option value="${id}">${title}</option>`)}
    </select></label
  >`;
}

/** The page's own contents: folded on a phone, beside the title where there is room. A short page needs none. */
function contents({ parts }: SitePage): Html | undefined {
  if (parts.length < 3) return undefined;
  return html`<nav class="contents" aria-label="On this page">
    <details>
      <summary>On this page</summary>
      <ul>
        ${parts.map(({ id, title, shortTitle = title }) => html`<li><a href="#${id}">${shortTitle}</a></li>`)}
      </ul>
    </details>
  </nav>`;
}

function row({ id, title, body, samples = [], after, isWide = false }: Part): Html {
  return html`<section class="row${isWide ? ' wide' : ''}" id="${id}">
    <div class="prose">
      <h2><a href="#${id}">${title}</a></h2>
      ${body}
    </div>
    ${samples.length === 0 ? undefined : html`<div class="samples">${samples.map(sample)}</div>`}
    ${after && html`<div class="prose">${after}</div>`}
  </section>`;
}

/** Links to the pages before and after this one, in the order of the sidebar. */
function neighbours({ address }: SitePage, { groups }: Site): Html {
  const pages = groups.flatMap(({ entries }) => entries);
  const at = pages.findIndex((entry) => entry.address === address);
  const [before, after] = [pages[at - 1], pages[at + 1]];
  return html`<nav class="neighbours" aria-label="Previous and next page">
    ${before && html`<a rel="prev" href="${before.address}"><small>Previous</small> ${before.title}</a>`}
    ${after && html`<a rel="next" href="${after.address}"><small>Next</small> ${after.title}</a>`}
  </nav>`;
}
