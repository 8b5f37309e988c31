import {
  assertNever,
  decimalFromMinor,
  type Instant,
  type Minor,
  msFromInstant,
} from '#domain/kernel';
import { type PaymentState, stateWord } from '../attempts/payment-state.js';
import { type CheckoutLink } from '../link/checkout-link.js';
import { addressIn, documentOf, type Page, type Place, unbroken } from './document.js';
import { type Html, html } from '#shared/html';
import { marks } from './marks.js';
import { type PayForm, payForm } from './pay-form.js';
import { type Notice } from './codes.js';
import { type Texts } from './texts.js';
import { textsIn } from './texts-in.js';
import { type Language } from '#shared/http';

/** The content of a link's page, in any state. */
export interface LinkPage {
  readonly place: Place;
  readonly link: CheckoutLink;
  readonly state: PaymentState;
  readonly nowMs: number;
  /** Present if the state lets the customer pay and the link has not ended. */
  readonly form?: PayForm;
  /** The address of the shop, with the result. */
  readonly returnHref?: string;
}

/** The gaps grow with the age of the request: a customer waits seconds, and a forgotten page costs nothing. */
const gaps = [
  { olderThanMs: 3_600_000, seconds: undefined },
  { olderThanMs: 600_000, seconds: 60 },
  { olderThanMs: 120_000, seconds: 15 },
  { olderThanMs: 30_000, seconds: 5 },
  { olderThanMs: -Infinity, seconds: 3 },
] as const;

/** Returns the seconds until a page should load again; undefined if it should not do so by itself. */
export function refreshAfter(state: PaymentState, nowMs: number): number | undefined {
  if (state.kind !== 'waiting') return undefined;
  const ageMs = nowMs - msFromInstant(state.startedAt);
  return gaps.find(({ olderThanMs }) => ageMs > olderThanMs)?.seconds;
}

/** Time to read the amount and to save the receipt. */
const leadsBackAfterSeconds = 15;

/**
 * Leads back once, just after the payment. A customer who returns to the page, to see the receipt again, stays on it.
 */
function leadsTo({ state, returnHref: href }: LinkPage): Page['leadsTo'] {
  if (state.kind !== 'paid' || !state.isNew || href === undefined) return undefined;
  return { href, seconds: leadsBackAfterSeconds };
}

export function linkPage(page: LinkPage): Buffer {
  const { place, link, state, nowMs, form } = page;
  const lead = leadsTo(page);
  const texts = textsIn(place.language);
  const { title, content } = contentOf(texts, page);
  const refreshSeconds = refreshAfter(state, nowMs);
  const shop = state.kind === 'open' ? '' : ` – ${link.merchantName}`;
  return documentOf({
    title: `${form?.problem ? texts.problemPrefix : ''}${title}${shop}`,
    place,
    isDemo: link.account.mode === 'demo',
    ...(refreshSeconds === undefined ? {} : { refreshSeconds }),
    ...(lead && { leadsTo: lead }),
    content: html`${order(texts, link, state)}
      <div class="body" data-state="${stateWord(state)}" data-again="${refreshSeconds ?? ''}">
        ${content}
      </div>`,
  });
}

/** Shows the payee, the amount and the purpose. */
function order(texts: Texts, link: CheckoutLink, state: PaymentState): Html {
  const { currency } = link.account;
  const amount = state.kind === 'paid' ? state.amountMinor : link.amountMinor;
  return html`<div class="order">
    ${
      state.kind === 'open'
        ? html`<h1 class="shop">${texts.pay(link.merchantName)}</h1>`
        : html`<p class="shop">${link.merchantName}</p>`
    }
    <p class="amount">${shownAmount(currency, amount)}</p>
    <p class="reference">${texts.order} ${link.reference}</p>
  </div>`;
}

interface Content {
  readonly title: string;
  readonly content: Html;
}

function contentOf(texts: Texts, page: LinkPage): Content {
  const { state } = page;
  switch (state.kind) {
    case 'open':
      return open(texts, page);
    case 'waiting':
      return waiting(texts, page, state);
    case 'retry':
      return failed(texts, page, state.failureCode);
    case 'failed':
      return failed(texts, page, state.failureCode);
    case 'checked':
      return noticeContent(texts, page, texts.checked, marks.attention);
    case 'refunded':
      return noticeContent(texts, page, texts.refunded, marks.attention);
    case 'paid':
      return paid(texts, page, state);
    default:
      return assertNever(state);
  }
}

function paid(
  texts: Texts,
  page: LinkPage,
  state: Extract<PaymentState, { kind: 'paid' }>,
): Content {
  const { title, text, receipt, on, leads, done } = texts.paid;
  const { merchantName, account } = page.link;
  const amount = shownAmount(account.currency, state.amountMinor);
  const lead = leadsTo(page);
  const kept = [
    [receipt, state.receipt],
    [on, state.at && shownTime(page.place.language, state.at)],
  ] as const;
  return {
    title,
    content: html`${heading(marks.paid, title, html`<p>${text(merchantName, amount)}</p>`)}
      <dl class="receipt">
        ${kept.flatMap(([name, value]) =>
          value === undefined
            ? []
            : [
                html`<dt>${unbroken(name)}</dt>
                  <dd>${value}</dd>`,
              ],
        )}
      </dl>
      ${back(texts, page) ?? html`<p class="note">${done}</p>`}
      ${lead && html`<p class="note">${leads(merchantName, lead.seconds)}</p>`}`,
  };
}

function open(texts: Texts, { place, link, form }: LinkPage): Content {
  return {
    title: texts.pay(link.merchantName),
    content: html`${form && pay(texts, place, link, form)}`,
  };
}

function waiting(texts: Texts, page: LinkPage, state: Waiting): Content {
  const { waiting: said } = texts;
  const { link, place } = page;
  const amount = shownAmount(link.account.currency, link.amountMinor);
  const title = state.isLong ? said.longTitle : said.title;
  const text = state.prompted
    ? prompted(said, state, link.merchantName, amount)
    : unsure(said, state, link, amount);
  const isFirstLook = page.nowMs - msFromInstant(state.startedAt) < firstLookMs;
  return {
    title,
    content: html`<div role="status">${heading(marks.phone, title, text, isFirstLook)}</div>
      <a class="second" href="${addressIn(place, place.language)}">${said.checkNow}</a>
      ${page.returnHref === undefined ? undefined : html`<a class="second" href="${page.returnHref}">${texts.returnTo(link.merchantName)}</a>`}`,
  };
}

type Waiting = Extract<PaymentState, { kind: 'waiting' }>;

/** A waiting page loads again by itself. Only the first load moves the focus. */
const firstLookMs = 5000;

function prompted(said: Texts['waiting'], state: Waiting, merchant: string, amount: string): Html {
  return state.isLong
    ? html`<p>${unbroken(said.long(merchant))}</p>`
    : html`<p>
          ${unbroken(said.sent(amount, state.phoneMasked))} <strong>${unbroken(said.pin)}</strong>
        </p>
        <p class="note">${said.updates}</p>`;
}

/** Shows what may have happened and whom to ask, if it is unknown whether the phone was asked. */
function unsure(said: Texts['waiting'], state: Waiting, link: CheckoutLink, amount: string): Html {
  const { merchantName, reference } = link;
  return state.isLong
    ? html`<p>${unbroken(said.unsureLong)}</p>
        <p>${unbroken(said.unsureLongAsk(merchantName, reference))}</p>`
    : html`<p>
          ${unbroken(said.unsure(amount, state.phoneMasked))}
          <strong>${unbroken(said.unsurePin)}</strong>
        </p>
        <p>${unbroken(said.unsureElse(merchantName, reference))}</p>`;
}

function failed(texts: Texts, page: LinkPage, failureCode: string): Content {
  const { link, place, form } = page;
  const known = Object.hasOwn(texts.failures, failureCode) && texts.failures[failureCode];
  const failure = known || texts.otherFailure;
  const again = form?.phone === '' ? texts.tryAgainWithout : texts.tryAgain;
  const next = form ? again : texts.startAgain(link.merchantName);
  const text = html`<p>${unbroken(failure.text)} ${next}</p>`;
  return {
    title: failure.title,
    content: html`<div role="status">
        ${heading(marks.failed, failure.title, text, !form?.problem)}
      </div>
      ${form && pay(texts, place, link, form)} ${back(texts, page, form !== undefined)}`,
  };
}

function noticeContent(texts: Texts, page: LinkPage, { title, text }: Notice, mark: Html): Content {
  return {
    title,
    content: html`<div role="status">${heading(mark, title, html`<p>${unbroken(text)}</p>`)}</div>
      ${back(texts, page)}`,
  };
}

function pay(texts: Texts, place: Place, link: CheckoutLink, form: PayForm): Html {
  return payForm(texts, place, shownAmount(link.account.currency, link.amountMinor), form);
}

/**
 * Returns the heading. If the page says something new, the heading gets the focus, so that screen readers announce it.
 */
function heading(mark: Html, title: string, text: Html, isNew = true): Html {
  const said = html`${mark}
    <h1>${unbroken(title)}</h1>
    ${text}`;
  return isNew
    ? html`<div class="said" tabindex="-1" autofocus>${said}</div>`
    : html`<div class="said">${said}</div>`;
}

/** @param beside true if another button is the main one */
function back(texts: Texts, { link, returnHref }: LinkPage, beside = false): Html | undefined {
  if (returnHref === undefined) return undefined;
  return html`<a class="${beside ? 'second' : 'button'}" href="${returnHref}"
    >${texts.returnTo(link.merchantName)}</a
  >`;
}

/** Returns an amount as people read it, `KES 1,250.00`; the same in both languages. The space does not break. */
export function shownAmount(currency: string, minor: Minor): string {
  return `${currency}\u00a0${decimalFromMinor(minor).replace(/\B(?=(?:\d{3})+(?=\.))/g, ',')}`;
}

/** The zone of M-Pesa's own receipts. */
const timeZone = 'Africa/Nairobi';
const locales = { en: 'en-KE', sw: 'sw-KE' } as const satisfies Record<Language, string>;

/** Returns an instant as people in Kenya write it. */
export function shownTime(language: Language, instant: Instant): string {
  const format = new Intl.DateTimeFormat(locales[language], {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone,
  });
  return format.format(msFromInstant(instant));
}
