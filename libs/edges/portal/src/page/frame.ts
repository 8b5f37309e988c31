import { type Mode } from '#domain/kernel';
import { permits } from '#domain/people';
import { type Language, languages } from '#shared/http';
import { brandMark, html, type Html } from '#shared/html';
import { formTokenField } from '../access/form-token.js';
import { wayBack } from '../access/site.js';
import { type Viewer } from '../access/viewer.js';
import { type Texts } from '../text/texts.js';
import { textsOf } from '../text/texts-of.js';
import { type Theme, themes } from '../text/theme.js';
import { icon } from './icons.js';
import { merchantAddress, modeAddresses, type Navigation, navigationOf } from './navigation.js';
import { noSideFacts, type SideFacts } from './side-facts.js';
import { type Place } from './places.js';
import { shortId } from './parts.js';

/** The facts of a request that the frame around a page is made from. */
export interface Frame {
  readonly viewer: Viewer | undefined;
  /** The merchant's name, or undefined if it was not loaded. */
  readonly merchantName?: string | undefined;
  readonly language: Language;
  /** The chosen colour scheme, or undefined for the system's. */
  readonly theme?: Theme | undefined;
  /** The path and query of the request. */
  readonly target: string;
  /** True if the page answers a form, so that it cannot be loaded again. */
  readonly isForm: boolean;
  /** The text that the search field shows. */
  readonly searched?: string | undefined;
  /** Facts of the sidebar; absent if they were not read. */
  readonly side?: SideFacts;
}

/** The bar and the sidebar of a page, and its footer if no one is signed in. */
export interface FrameParts {
  readonly top: Html;
  readonly side: Html | undefined;
  readonly foot: Html | undefined;
  readonly isDemo: boolean;
}

const sideId = 'places';
const searchId = 'search';

/** Makes the frame of a page. */
export function frameOf(frame: Frame, place: string | undefined): FrameParts {
  const { viewer, language } = frame;
  const texts = textsOf({ language });
  if (!viewer)
    return { top: bar([brand(texts)]), side: undefined, foot: footer(frame, texts), isDemo: false };
  const navigation = navigationOf(viewer, frame.target);
  const { merchant } = navigation;
  const hasSide = navigation.groups.length > 0;
  const top = bar([
    hasSide ? opener(sideId, { name: 'menu', label: texts.menu }) : undefined,
    brand(texts),
    search(viewer, { navigation, searched: frame.searched }, texts),
    merchant && modeSwitch(merchant.at, place, texts),
    userMenu(viewer, frame, texts),
  ]);
  const side = hasSide ? sidebar(navigation, { frame, place, texts }) : undefined;
  return { top, side, foot: undefined, isDemo: (viewer.merchant ?? merchant?.at)?.mode === 'demo' };
}

function bar(parts: readonly (Html | undefined)[]): Html {
  return html`<header class="top">${parts.filter((part) => part !== undefined)}</header>`;
}

/** The mark: a stamp with a tick. */
function brand({ portal, brand: name }: Texts): Html {
  return html`<a class="brand" href="/portal" aria-label="${portal}"
    >${brandMark} <span class="word">${name}</span></a
  >`;
}

/** A button that opens a popover. It is shown on narrow screens only. */
function opener(
  target: string,
  { name, label }: { readonly name: 'menu' | 'search'; readonly label: string },
): Html {
  return html`<button
    class="open-${target === sideId ? 'side' : 'search'}"
    type="button"
    popovertarget="${target}"
    aria-label="${label}"
  >
    ${icon(name)}
  </button>`;
}

/** The search is a form, so that typed text is in no address and no log (POR-59). */
function search(
  viewer: Viewer,
  { navigation: { merchant }, searched }: { navigation: Navigation; searched: string | undefined },
  texts: Texts,
): Html | undefined {
  const isOperator = permits(viewer.roles, 'items.find');
  const isHere = merchant && permits(viewer.roles, 'transactions.see', merchant.at.merchantId);
  if (!isOperator && !isHere) return undefined;
  const [action, name] = isHere
    ? [merchantAddress(merchant.at, '/transactions/find'), 'word']
    : ['/portal/find', 'q'];
  const words = isHere ? texts.search.ofMerchant : texts.search.ofPlatform;
  return html`<form
      class="search"
      id="${searchId}"
      popover
      role="search"
      method="post"
      action="${action}"
    >
      <input type="hidden" name="${formTokenField}" value="${viewer.formToken}" />
      <input
        type="search"
        id="search-term"
        name="${name}"
        aria-label="${words}"
        placeholder="${words}"
        value="${searched ?? ''}"
        maxlength="100"
        autocomplete="off"
        required
      />
      <button>${texts.search.button}</button>
    </form>
    ${opener(searchId, { name: 'search', label: words })}`;
}

/** Demo and live in words. The other mode is a link to the same place in it. */
function modeSwitch(
  at: { readonly merchantId: string; readonly mode: Mode },
  place: string | undefined,
  { modes, mode: label }: Texts,
): Html {
  return html`<nav class="mode mode-${at.mode}" aria-label="${label}">
    ${modeAddresses(at, place).map(({ mode, href }) =>
      mode === at.mode
        ? html`<span aria-current="true"
            >${modes[mode].title}<span class="mode-word">: ${modes[mode].text}</span></span
          >`
        : html`<a href="${href}">${modes[mode].title}</a>`,
    )}
  </nav>`;
}

function userMenu(viewer: Viewer, frame: Frame, texts: Texts): Html {
  const { name, formToken, roles } = viewer;
  const held = [...new Set(roles.map(({ role }) => texts.roles[role]))].join(', ');
  return html`<details class="menu who">
    <summary aria-label="${texts.account}: ${name}">
      <span class="avatar" aria-hidden="true">${initials(name)}</span>
      <b>${name}</b> ${icon('down')}
    </summary>
    <div>
      <p>${texts.signedInAs} <strong>${name}</strong><br /><span class="soft">${held}</span></p>
      <hr />
      <a href="/portal/sessions">${texts.sessions.title}</a>
      <hr />
      ${themeForm(frame, texts)}
      <hr />
      ${languageForm(frame, texts)}
      <hr />
      <form method="post" action="/portal/sign-out">
        <input type="hidden" name="${formTokenField}" value="${formToken}" />
        <button>${texts.signOut}</button>
      </form>
    </div>
  </details>`;
}

/** The first letters of the first and the last word of a name. */
function initials(name: string): string {
  const letters = name.split(/\s+/).flatMap((word) => /^\p{L}/u.exec(word)?.[0] ?? []);
  const ends = letters.length > 1 ? [letters[0], letters.at(-1)] : letters;
  return ends.join('').toUpperCase();
}

const backOf = ({ target, isForm }: Frame): string => (isForm ? '/portal' : wayBack(target));

/** The choice of colours. The first value follows the system. */
function themeForm(frame: Frame, { theme: words }: Texts): Html {
  const chosen = frame.theme ?? 'system';
  return html`<form method="post" action="/portal/theme" aria-labelledby="menu-theme">
    <p class="soft" id="menu-theme">${words.title}</p>
    <input type="hidden" name="back" value="${backOf(frame)}" />
    ${themes.map(
      (theme) =>
        html`<button
          name="theme"
          value="${theme}"
          aria-pressed="${theme === chosen ? 'true' : 'false'}"
        >
          ${words[theme]} ${theme === chosen ? icon('good') : undefined}
        </button>`,
    )}
  </form>`;
}

/**
 * The choice of language. It leads back to the page, unless the page answers a form or comes from the issuer and so
 * cannot be loaded again.
 */
function languageForm(frame: Frame, { language: label }: Texts): Html {
  return html`<form method="post" action="/portal/language" aria-labelledby="menu-language">
    <input type="hidden" name="back" value="${backOf(frame)}" />
    <p class="soft" id="menu-language">${label}</p>
    ${languages.map(
      (language) =>
        html`<button
          name="language"
          value="${language}"
          lang="${language}"
          aria-pressed="${language === frame.language ? 'true' : 'false'}"
        >
          ${textsOf({ language }).name} ${language === frame.language ? icon('good') : undefined}
        </button>`,
    )}
  </form>`;
}

/** Without a menu, the foot offers the other languages. */
function footer(frame: Frame, { language: label }: Texts): Html {
  return html`<footer class="foot">
    <form method="post" action="/portal/language" aria-label="${label}">
      <input type="hidden" name="back" value="${backOf(frame)}" />
      ${languages
        .filter((language) => language !== frame.language)
        .map(
          (language) =>
            html`<button class="plain" name="language" value="${language}" lang="${language}">
              ${textsOf({ language }).name}
            </button>`,
        )}
    </form>
  </footer>`;
}

interface SideContext {
  readonly frame: Frame;
  readonly place: string | undefined;
  readonly texts: Texts;
}

function sidebar({ groups, merchant }: Navigation, context: SideContext): Html {
  const { texts } = context;
  return html`<div class="side" id="${sideId}" popover>
    <button
      class="close open-side"
      type="button"
      popovertarget="${sideId}"
      popovertargetaction="hide"
      aria-label="${texts.close}"
    >
      ${icon('close')}
    </button>
    <nav class="nav" aria-label="${merchant ? texts.merchantNavigation : texts.navigation}">
      ${merchant && merchantHead(merchant, context)}
      ${groups.map(
        ({ group, places }) =>
          html`${group === 'main' ? undefined : html`<h2>${texts.groups[group]}</h2>`}
            <ul>
              ${places.filter((of) => isShown(of, context)).map((of) => placeLink(of, context))}
              ${group === 'developers' ? docsLink(texts) : undefined}
            </ul>`,
      )}
    </nav>
  </div>`;
}

/** The merchant whose pages these are, and the way back or to another merchant of the viewer. */
function merchantHead(
  { at, isVisited, others }: NonNullable<Navigation['merchant']>,
  { frame, texts }: SideContext,
): Html {
  const { names } = frame.side ?? noSideFacts;
  const own = { ...at, name: frame.merchantName ?? names.get(at.merchantId) };
  return html`<div class="side-head">
    ${isVisited ? html`<a href="/portal/merchants">${icon('back')} ${texts.allMerchants}</a>` : undefined}
    ${
      others.length === 0
        ? html`<strong>${own.name}</strong> ${shortId(own.merchantId)}`
        : switcher(own, { others, names }, texts)
    }
  </div>`;
}

/** The viewer's other merchants by name. A name that was not read in time leaves the end of the id (POR-57). */
function switcher(
  own: { readonly merchantId: string; readonly name: string | undefined },
  { others, names }: Pick<NonNullable<Navigation['merchant']>, 'others'> & Pick<SideFacts, 'names'>,
  { switchTo }: Texts,
): Html {
  return html`<details class="menu">
    <summary>
      <span><strong>${own.name}</strong> <small>…${own.merchantId.slice(-6)}</small></span>
      ${icon('down')}
    </summary>
    <div>
      <code>${own.merchantId}</code>
      <p class="soft" id="switch">${switchTo}</p>
      <ul aria-labelledby="switch">
        ${others.map(
          ({ merchantId, href }) =>
            html`<li>
              <a href="${href}"
                ><span>${names.get(merchantId)} <small>…${merchantId.slice(-6)}</small></span></a
              >
            </li>`,
        )}
      </ul>
    </div>
  </details>`;
}

/** V3's page is of use only to merchants that have or had a credential of V3. Others find it by its address (POR-115). */
function isShown({ id }: Place, { frame, place }: SideContext): boolean {
  return id !== 'v3' || id === place || (frame.side ?? noSideFacts).usesV3;
}

function placeLink({ id, href, label, icon: name }: Place, context: SideContext): Html {
  const { frame, place } = context;
  return html`<li>
    <a href="${href}" ${id === place ? html` aria-current="page"` : undefined}
      >${icon(name)} ${label[frame.language]}${count(id, context)}</a
    >
  </li>`;
}

const maxCount = 99;

/** The work that waits at a place: a number to see, and words for a screen reader. */
function count(id: string, { frame, texts }: SideContext): Html | undefined {
  const counts: Readonly<Partial<Record<string, number>>> = (frame.side ?? noSideFacts).counts;
  const waiting = counts[id] ?? 0;
  if (waiting === 0) return undefined;
  const [shown, said] =
    waiting > maxCount
      ? [`${maxCount}+`, texts.countedMore(maxCount)]
      : [String(waiting), texts.counted(waiting)];
  return html`<span class="count" aria-hidden="true">${shown}</span
    ><span class="away">, ${said}</span>`;
}

function docsLink({ apiReference }: Texts): Html {
  return html`<li><a href="/docs">${icon('docs')} ${apiReference}</a></li>`;
}
