import { rawTarget, type Language, languages } from '#shared/http';
import { html, type Html } from '#shared/html';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { formTokenField } from '../access/form-token.js';
import { wayBack } from '../access/site.js';
import { merchantNameOf, type Viewer, viewerIfAny } from '../access/viewer.js';
import { assets } from '../static/assets.js';
import { languageOf } from '../text/language.js';
import { textsOf } from '../text/texts-of.js';
import { type Navigation, navigationOf } from './navigation.js';
import { notice, time } from './parts.js';
import { type Place } from './places.js';

/** A page's own content; the rest of the document is around it. */
export interface Page {
  /** The title of the document and, as h1, of its content. */
  readonly title: string;
  readonly content: Html;
  /** The page's place in the navigation. */
  readonly place?: string;
  /** Seconds after which a script loads the content again; undefined for a page that does not refresh itself (POR-55). */
  readonly refresh?: number;
  /** The message about the form that led here, as a status line. */
  readonly done?: string | undefined;
  /** 200 by default. */
  readonly status?: number;
  /** True if the page reports an error; the title is then prefixed. */
  readonly isFault?: boolean;
  /** The address to which the page leads by itself, such as the identity provider's end of session. */
  readonly leadsTo?: string;
}

const pagePolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** htmx adds no inline styles, and never swaps in the page of an error. */
const htmxConfig = JSON.stringify({
  includeIndicatorCSS: false,
  noSwap: [204, '3xx', '4xx', '5xx'],
});

/** Writes the whole document: the page with the navigation, the mode's mark, the language and the title. */
export function sendPage(request: FastifyRequest, reply: FastifyReply, page: Page): void {
  const viewer = viewerIfAny(request);
  const language = viewer?.language ?? languageOf(request);
  const { path, query } = rawTarget(request);
  const target = query === '' ? path : `${path}?${query}`;
  const text = documentOf(page, {
    viewer,
    merchantName: merchantNameOf(request),
    language,
    target,
    isForm: request.method === 'POST',
  });
  void reply
    .code(page.status ?? 200)
    .headers({
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Language': language,
      'Content-Security-Policy': pagePolicy,
      // For browsers that do not know frame-ancestors.
      'X-Frame-Options': 'DENY',
    })
    .send(Buffer.from(text.text));
}

/** The code of what a form did (`?done=approved`). The page picks its own words by it and never shows the code itself. */
export function doneOf(request: FastifyRequest): string | undefined {
  const [, code] = /(?:^|&)done=([a-z_-]{1,40})(?:&|$)/.exec(rawTarget(request).query) ?? [];
  // Pages look the code up in an object of words, which also inherits members that are no words.
  return code === undefined || code in Object.prototype ? undefined : code;
}

/** Answers a form that was carried out with a redirect to a GET, so that loading the page again sends nothing. */
export function seeOtherPage(reply: FastifyReply, location: string): void {
  void reply.code(303).header('Location', location).send();
}

export interface Frame {
  readonly viewer: Viewer | undefined;
  /** The merchant's name, or undefined if it was not loaded. */
  readonly merchantName?: string | undefined;
  readonly language: Language;
  /** The path and query of the request. */
  readonly target: string;
  /** True if the page answers a form, so that it cannot be loaded again. */
  readonly isForm: boolean;
}

export function documentOf(page: Page, frame: Frame): Html {
  const { viewer, language, isForm, target } = frame;
  const texts = textsOf({ language });
  const navigation = viewer && navigationOf(viewer);
  const refresh = isForm ? undefined : page.refresh;
  const title = `${page.isFault === true ? texts.errorPrefix : ''}${page.title} – ${texts.portal}`;
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width,initial-scale=1" />
        <meta name="robots" content="noindex" />
        <meta name="color-scheme" content="light dark" />
        <meta name="htmx-config" content="${htmxConfig}" />
        <title>${title}</title>
        ${page.leadsTo !== undefined ? html`<meta http-equiv="refresh" content="1; url=${page.leadsTo}" />` : undefined}
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="${assets().style.address}" />
        <script src="${assets().htmx.address}" defer></script>
      </head>
      <body>
        <a class="skip" href="#main">${texts.skip}</a>
        ${header(frame)} ${navigation && menus(navigation, { page, frame })}
        <main id="main" tabindex="-1">
          ${breakGlassBanner(frame)}
          ${page.done === undefined ? undefined : notice('done', page.done)}
          <div id="content" ${refresh && refreshing(target, refresh)}>
            <h1>${page.title}</h1>
            ${page.content}
          </div>
        </main>
        ${footer(frame)}
      </body>
    </html> `;
}

/**
 * The banner on each page of a person with a role or of a suspended admin (PEO-58): all of them can call an admin, or
 * are one.
 */
function breakGlassBanner({ viewer, language }: Frame): Html | undefined {
  if (!viewer?.breakGlass) return undefined;
  if (viewer.roles.length === 0 && viewer.isSuspended !== true) return undefined;
  const { breakGlass: texts } = textsOf({ language });
  const { name, takesEffectAt } = viewer.breakGlass;
  return notice(
    'warning',
    html`${texts.banner(name, time(takesEffectAt, 'UTC'))}
      <a href="/portal/break-glass">${texts.look}</a>`,
  );
}

/** Attributes that reload the content without a flash: unchanged parts stay, with focus and scroll. */
function refreshing(target: string, seconds: number): Html {
  return html` hx-get="${target}" hx-trigger="every ${seconds}s" hx-select="#content"
  hx-target="this" hx-swap="outerMorph"`;
}

function header({ viewer, language }: Frame): Html {
  const texts = textsOf({ language });
  return html`<header class="top">
    <a class="brand" href="/portal">${texts.portal}</a>
    ${
      viewer
        ? html`<div class="who">
            <p>${texts.signedInAs} <b>${viewer.name}</b></p>
            <a href="/portal/sessions">${texts.sessions.title}</a>
            <form method="post" action="/portal/sign-out">
              <input type="hidden" name="${formTokenField}" value="${viewer.formToken}" />
              <button class="plain">${texts.signOut}</button>
            </form>
          </div>`
        : undefined
    }
  </header>`;
}

function menus(
  { places, merchant }: Navigation,
  { page, frame }: { readonly page: Page; readonly frame: Frame },
): Html {
  const { language, merchantName, viewer } = frame;
  const texts = textsOf({ language });
  const current = { place: page.place, language };
  const mark =
    viewer?.merchant &&
    merchant &&
    html`<aside class="mode mode-${merchant.at.mode}">
      <b>${texts.modes[merchant.at.mode].title}</b> ${texts.modes[merchant.at.mode].text}
      ${merchantName} <code>${merchant.at.merchantId}</code>
      <a href="${merchant.other.href}">${texts.modes[merchant.other.mode].title}</a>
    </aside>`;
  return html`${menu(texts.navigation, places, current)} ${mark}
  ${merchant && menu(texts.merchantNavigation, merchant.places, current)}`;
}

function menu(
  label: string,
  places: readonly Place[],
  { place, language }: { readonly place: string | undefined; readonly language: Language },
): Html | undefined {
  if (places.length === 0) return undefined;
  return html`<nav class="nav" aria-label="${label}">
    <ul>
      ${places.map(
        ({ id, href, label: text }) =>
          html`<li>
            <a href="${href}" ${id === place ? html` aria-current="page"` : undefined}
              >${text[language]}</a
            >
          </li>`,
      )}
    </ul>
  </nav>`;
}

/**
 * The choice of language. It leads back to the page, unless the page answers a form or comes from the issuer and so
 * cannot be loaded again.
 */
function footer({ language, target, isForm }: Frame): Html {
  const texts = textsOf({ language });
  return html`<footer class="foot">
    <form method="post" action="/portal/language" aria-label="${texts.language}">
      <input type="hidden" name="back" value="${isForm ? '/portal' : wayBack(target)}" />
      ${languages
        .filter((other) => other !== language)
        .map(
          (other) =>
            html`<button class="plain" name="language" value="${other}" lang="${other}">
              ${textsOf({ language: other }).name}
            </button>`,
        )}
    </form>
  </footer>`;
}
