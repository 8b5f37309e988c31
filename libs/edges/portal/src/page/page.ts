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
import { type Place } from './place.js';

/** What a page says; the rest of the document is around it. */
export interface Page {
  /** Of the document and, as h1, of its content. */
  readonly title: string;
  readonly content: Html;
  /** The navigation's place where the page stands. */
  readonly place?: string;
  /** Seconds after which a script asks for the content again; without one the page stands still (POR-55). */
  readonly refresh?: number;
  /** What the form that led here did, as a status line. */
  readonly done?: string | undefined;
  /** 200 unless said. */
  readonly status?: number;
  /** Whether the title says that something is wrong. */
  readonly isFault?: boolean;
  /** Where the page leads by itself, such as to the identity provider's end of session. */
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

/** Neither inline styles, nor what a fault answered in the place of what was asked for. */
const htmxConfig = JSON.stringify({
  includeIndicatorCSS: false,
  noSwap: [204, '3xx', '4xx', '5xx'],
});

/** Writes the whole document: the page within navigation, mode's mark, language and title. */
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

/** The code of what a form did (`?done=approved`), for the page that picks its words; never shown as it stands. */
export function doneOf(request: FastifyRequest): string | undefined {
  const [, code] = /(?:^|&)done=([a-z_-]{1,40})(?:&|$)/.exec(rawTarget(request).query) ?? [];
  // Pages look it up among their words, and an object has members that are nobody's words.
  return code === undefined || code in Object.prototype ? undefined : code;
}

/** The answer to a form that was carried out: a GET, so that loading the page again sends nothing. */
export function seeOtherPage(reply: FastifyReply, location: string): void {
  void reply.code(303).header('Location', location).send();
}

export interface Frame {
  readonly viewer: Viewer | undefined;
  /** Of the merchant whose page it is; undefined where nobody has looked it up. */
  readonly merchantName?: string | undefined;
  readonly language: Language;
  /** Path and query as asked for. */
  readonly target: string;
  /** Whether the page answers a form: it cannot be asked for again. */
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

/** On each page of whoever has a role, or is a suspended admin: all of them can call an admin, or are one (PEO-58). */
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

/** Asked for again without a flash: what did not change stays, focus and scroll as well. */
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

/** Leads back to where it stood, where that can be asked for again: no answer to a form, nor one of the issuer's. */
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
