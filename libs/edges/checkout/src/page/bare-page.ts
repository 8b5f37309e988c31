import { documentOf, type Place, unbroken } from './document.js';
import { html } from '#shared/html';
import { textsIn } from './texts-in.js';

/** What this address is, for who comes without a link: somebody who typed it, or a shop that tries it out. */
export function barePage(place: Place): Buffer {
  const texts = textsIn(place.language);
  const { title, text } = texts.noLink;
  return documentOf({
    title,
    place,
    isTest: false,
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
