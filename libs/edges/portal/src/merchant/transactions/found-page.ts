import { html, type Html } from '#shared/html';
import { type FoundItems } from '#views/transactions';
import { type WallClock } from '../../page/list-parts.js';
import { emptyState, notice } from '../../page/parts.js';
import { type MerchantTexts } from '../merchant-texts.js';
import { type Place } from '../place.js';
import { transactionsTable } from './transactions-table.js';

/** The items that a search found, and the kind of text that found them. */
export type SearchResult = FoundItems &
  ({ readonly by: 'word' | 'beginning' } | { readonly by: 'phone'; readonly phoneMasked: string });

interface Found {
  readonly place: Place;
  readonly clock: WallClock;
  /** The text that was typed. */
  readonly word: string;
  /** Undefined if no text was typed. */
  readonly found: SearchResult | undefined;
}

/** The items that a search found, if there is not exactly one. The search field above keeps the text. */
export function foundPage({ place, clock, word, found }: Found, texts: MerchantTexts): Html {
  const { find: words } = texts.list;
  if (!found || found.items.length === 0) return emptyState(words.empty.text, words.empty.todo);
  const { items, phones } = found;
  // A page never repeats a number in full, except in the field where it was typed.
  const caption = found.by === 'phone' ? words.ofPhone(found.phoneMasked) : words.matching(word);
  const table = { place, caption, items, phones, clock, totals: [], isOfPage: false };
  return html`<p>${caption}</p>
    ${transactionsTable(table, texts)}
    ${found.hasMore ? notice('info', found.by === 'beginning' ? words.moreBeginning : words.more) : undefined}`;
}
