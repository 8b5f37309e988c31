import { rawTarget } from '#shared/http';
import { html, type Html } from '#shared/html';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { merchantNameOf, viewerIfAny } from '../access/viewer.js';
import { assets } from '../static/assets.js';
import { languageOf } from '../text/language.js';
import { textsOf } from '../text/texts-of.js';
import { themeOf } from '../text/theme.js';
import { type Frame, frameOf } from './frame.js';
import { icon } from './icons.js';
import { notice, time } from './parts.js';
import { sideFactsOf } from './side-facts.js';

/** A page's own content; the rest of the document is around it. */
export interface Page {
  /** The title of the document and, as h1, of its content. */
  readonly title: string;
  readonly content: Html;
  /** The h1, if it is not the title. */
  readonly heading?: Html | undefined;
  /** The link above the h1 to the page that leads here. */
  readonly back?: { readonly href: string; readonly text: string } | undefined;
  /** The text of the search whose results the page shows; the search field keeps it. */
  readonly searched?: string | undefined;
  /** Links and buttons beside the title. At most one of them is the page's primary action. */
  readonly actions?: Html | undefined;
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
  /** True for a page of one question or one message, which is a card of its own. */
  /** True if the page is about demo mode, whatever its address says. */
  readonly isDemo?: boolean;
  readonly isDialog?: boolean;
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

/** htmx adds no inline styles, never swaps in the page of an error, and keeps what a reader unfolded. */
const htmxConfig = JSON.stringify({
  includeIndicatorCSS: false,
  morphIgnore: ['data-htmx-powered', 'open'],
  noSwap: [204, '3xx', '4xx', '5xx'],
});

/**
 * Writes the whole document: the page with the navigation, the mode's mark, the language and the title. It is sent once
 * the sidebar's facts are known, or at most 100 ms later.
 */
export function sendPage(request: FastifyRequest, reply: FastifyReply, page: Page): void {
  const viewer = viewerIfAny(request);
  const language = viewer?.language ?? languageOf(request);
  const { path, query } = rawTarget(request);
  const target = query === '' ? path : `${path}?${query}`;
  const frame: Frame = {
    viewer,
    merchantName: merchantNameOf(request),
    language,
    theme: themeOf(request),
    target,
    isForm: request.method === 'POST',
  };
  const facts = sideFactsOf(request);
  if (!facts) send(reply, page, frame);
  else
    void facts.then((side) => {
      send(reply, page, { ...frame, side });
    });
}

function send(reply: FastifyReply, page: Page, frame: Frame): void {
  const { language } = frame;
  const text = documentOf(page, frame);
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

/** The whole document of a page. */
export function documentOf(page: Page, frame: Frame): Html {
  const { viewer, language, isForm, target, theme } = frame;
  const texts = textsOf({ language });
  const refresh = isForm ? undefined : page.refresh;
  const title = `${page.isFault === true ? texts.errorPrefix : ''}${page.title} – ${texts.portal}`;
  const { top, side, foot, isDemo } = frameOf({ ...frame, searched: page.searched }, page.place);
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
        ${viewer && html`<script src="${assets().shell.address}" defer></script>`}
      </head>
      <body
        class="${side ? 'shell' : 'bare'}${isDemo || page.isDemo === true ? ' is-demo' : ''}"
        data-theme="${theme ?? 'system'}"
      >
        <a class="skip" href="#main">${texts.skip}</a>
        ${top} ${side}
        <div class="body">
          <main id="main" tabindex="-1">
            ${breakGlassBanner(frame)}
            ${page.done === undefined ? undefined : notice('done', page.done)}
            <div
              id="content"
              ${page.isDialog === true ? html` class="card dialog"` : undefined}
              ${refresh && refreshing(target, refresh)}
            >
              ${page.back && html`<p class="way-back"><a href="${page.back.href}">${icon('back')} ${page.back.text}</a></p>`}
              <div class="head">
                <h1>${page.heading ?? page.title}</h1>
                ${page.actions === undefined ? undefined : html`<div class="actions">${page.actions}</div>`}
              </div>
              ${page.content}
            </div>
          </main>
          ${foot}
        </div>
      </body>
    </html>`;
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
