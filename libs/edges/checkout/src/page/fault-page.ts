import { html } from '#shared/html';
import { documentOf, type Place, unbroken } from './document.js';
import { textsIn } from './texts-in.js';
import { marks } from './marks.js';
import { type FaultCode, type Shop } from './codes.js';

/** Returns the page for a visitor without a link: a person who typed the address, or a shop that tries it out. */
export function barePage(place: Place): Buffer {
  const texts = textsIn(place.language);
  const { title, text } = texts.noLink;
  return documentOf({
    title,
    place,
    isDemo: false,
    content: html`<div class="body">
      <div class="said">
        <h1>${title}</h1>
        <p>${unbroken(text)}</p>
        <p>${texts.nothingCharged}</p>
      </div>
      <p class="told">${texts.forTheShop}: <a href="/docs">${texts.reference}</a></p>
    </div>`,
  });
}

/** The statuses of pages that are errors. */
export const faultStatuses = {
  malformed_link: 400,
  oversized_link: 400,
  invalid_link: 403,
  expired_link: 410,
  early_link: 400,
  used_link: 409,
  ambiguous_link: 400,
  invalid_reference: 400,
  invalid_amount: 400,
  invalid_currency: 400,
  invalid_account: 400,
  invalid_return_url: 400,
  another_amount: 409,
  too_many_requests: 429,
  service_unavailable: 503,
  internal_error: 500,
} as const satisfies Record<FaultCode, number>;

interface FaultPage {
  readonly place: Place;
  readonly code: FaultCode;
  /** The parameter and the rule, without any value of the link. */
  readonly detail: string | undefined;
  readonly requestId: string;
  /** Present if the link's hash verified and its return address is on the merchant's list. */
  readonly shop?: Shop | undefined;
}

/** Faults after which it is not known yet if money moved. The page says that it is safe to try again. */
const open: ReadonlySet<FaultCode> = new Set([
  'another_amount',
  'too_many_requests',
  'service_unavailable',
  'internal_error',
]);

/**
 * Returns the page that says what is wrong and what to do. Without a verified link it has no way back to the shop: the
 * merchant is not known, or asked for something that is not allowed.
 */
export function faultPage({ place, code, detail, requestId, shop }: FaultPage): Buffer {
  const texts = textsIn(place.language);
  const { title, text } = texts.faults[code];
  return documentOf({
    title: `${texts.problemPrefix}${title}`,
    place,
    isDemo: false,
    content: html`<div class="body">
      <div class="said" role="alert">
        ${marks.attention}
        <h1>${title}</h1>
        <p>${unbroken(text)}</p>
        ${open.has(code) ? undefined : html`<p>${texts.nothingCharged}</p>`}
      </div>
      ${shop && html`<a class="button" href="${shop.href}">${texts.returnTo(shop.name)}</a>`}
      <p class="told">
        ${texts.forTheShop}:
        <code>${code}</code>${detail === undefined ? undefined : html` (${detail})`},
        <code>${requestId}</code>
      </p>
    </div>`,
  });
}
