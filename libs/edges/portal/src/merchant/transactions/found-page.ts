import { html, type Html } from '#shared/html';
import { type ItemName } from '#views/transactions';
import { type Viewer } from '../../access/viewer.js';
import { emptyState, field, form, table } from '../../page/parts.js';
import { itemAddress, type Place } from '../place.js';
import { type MerchantTexts } from '../merchant-texts.js';

type Frame = { readonly viewer: Viewer; readonly texts: MerchantTexts };

/** A reference has at most 64 characters. */
export const maxWordLength = 64;

/** One field for any word about a payment that a person has. */
export function findForm({ base }: Pick<Place, 'base'>, word: string, { viewer, texts }: Frame) {
  const { find: words } = texts.list;
  return form(viewer, {
    action: `${base}/transactions/find`,
    isRow: true,
    submit: words.button,
    fields: [
      field({
        name: 'word',
        label: words.label,
        type: 'search',
        value: word,
        isRequired: true,
        maxLength: maxWordLength,
        autocomplete: 'off',
      }),
    ],
  });
}

interface Found {
  readonly place: Place;
  readonly word: string;
  readonly found: readonly ItemName[];
}

/** The items with a reference or a receipt, if there is not exactly one. */
export function foundPage({ place, word, found }: Found, frame: Frame): Html {
  const { common, list, sections } = frame.texts;
  return html`${findForm(place, word, frame)}
    ${table({
      caption: list.find.caption,
      head: [common.reference, common.type],
      rows: found.map((item) => [
        html`<a href="${itemAddress(place, item)}">${item.reference}</a>`,
        common.types[item.type],
      ]),
      empty: emptyState(list.find.empty.text, list.find.empty.todo),
    })}
    <p><a href="${place.base}/transactions">${sections.transactions}</a></p>`;
}
