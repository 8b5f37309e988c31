import { type Minor } from '#domain/kernel';
import { permits } from '#domain/people';
import { html, type Html } from '#shared/html';
import { itemOf } from '#desk/operators';
import { type OpenReview } from '#views/reviews';
import { figure, onlyCurrency } from '../page/list-parts.js';
import { choice, money } from '../page/parts.js';
import {
  age,
  decisionWord,
  itemHref,
  merchantName,
  modeMark,
  type PageContext,
  who,
} from './page-context.js';

/**
 * The open reviews with the sum that is held in suspense. On a phone each is a card of two lines. The roles are
 * explicit, because browsers take the meaning of a table away when its display changes.
 * @param formId of the form to which the check boxes belong
 */
export function reviewsTable(
  reviews: readonly OpenReview[],
  formId: string,
  context: PageContext,
): Html {
  const { texts } = context;
  const columns = columnsOf(reviews, formId, context);
  return html`<div
    class="scroll list reviews"
    role="group"
    aria-label="${texts.reviews.caption}"
    tabindex="0"
  >
    <table role="table">
      <caption class="away">
        ${texts.reviews.caption}
      </caption>
      <thead role="rowgroup">
        <tr role="row">
          ${columns.map(
            ({ head, style }) =>
              html`<th scope="col" role="columnheader" class="${style}">
                ${style === 'pick' ? html`<span class="away">${head}</span>` : head}
              </th>`,
          )}
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${reviews.map(
          (review) =>
            html`<tr role="row">
              ${columns.map(({ style, cell }) =>
                style === 'ref'
                  ? html`<th scope="row" role="rowheader" class="ref">${cell(review)}</th>`
                  : html`<td role="cell" class="${style}">${cell(review)}</td>`,
              )}
            </tr>`,
        )}
      </tbody>
      ${foot(reviews, columns, context)}
    </table>
  </div>`;
}

interface ReviewColumn {
  readonly head: string;
  readonly style: string;
  readonly cell: (review: OpenReview) => Html | string;
}

function columnsOf(
  reviews: readonly OpenReview[],
  formId: string,
  context: PageContext,
): readonly ReviewColumn[] {
  const { texts, viewer } = context;
  const { reviews: words } = texts;
  const currency = onlyCurrency(reviews);
  const inCurrency = (word: string) => (currency === undefined ? word : `${word} (${currency})`);
  const amount = (minor: Minor | null, of: OpenReview) => amountOf(minor, of, currency);
  const isMixed = new Set(reviews.map(({ mode }) => mode)).size > 1;
  const pick: ReviewColumn = {
    head: texts.together.choose,
    style: 'pick',
    cell: ({ stream, reference }) =>
      choice(formId, { name: 'item', value: stream, label: texts.together.chooseOne(reference) }),
  };
  const mode: ReviewColumn = {
    head: texts.mode,
    style: 'more',
    cell: (review) => modeMark(review.mode, context),
  };
  return [
    ...(permits(viewer.roles, 'reviews.decide') ? [pick] : []),
    { head: words.age, style: 'when', cell: ({ flaggedAt }) => age(flaggedAt, context) },
    {
      head: inCurrency(texts.item.arrived),
      style: 'amount-cell arrived',
      cell: (review) => amount(review.heldMinor, review),
    },
    {
      head: inCurrency(texts.item.askedFor),
      style: 'amount-cell asked',
      cell: (review) => amount(review.requestedMinor, review),
    },
    { head: words.cause, style: 'status', cell: ({ why }) => html`${words.shortCauses[why]}` },
    { head: texts.reference, style: 'ref', cell: reference },
    ...(isMixed ? [mode] : []),
    {
      head: texts.merchant,
      style: 'more over',
      cell: ({ merchantId }) => merchantName(merchantId, context),
    },
    { head: words.proposal, style: 'more over', cell: (review) => proposal(review, context) },
  ];
}

/** An amount; a card on a phone shows the currency that the head names. */
function amountOf(
  minor: Minor | null,
  { currency }: OpenReview,
  headed: string | undefined,
): Html | string {
  if (minor === null) return '';
  if (headed === undefined) return money(minor, currency);
  return html`<span class="unit">${currency} </span>${figure(minor)}`;
}

function reference({ stream, reference: text }: OpenReview): Html {
  const item = itemOf(stream);
  return item ? html`<a href="${itemHref(item)}">${text}</a>` : html`${text}`;
}

function proposal({ proposal: waits }: OpenReview, context: PageContext): string | Html {
  if (!waits) return '';
  const { decision, proposedBy } = waits;
  return html`${decisionWord(decision, context.texts)}, ${who(proposedBy, context)}`;
}

/** The money that waits in suspense for a decision. A sum of several currencies is none. */
function foot(
  reviews: readonly OpenReview[],
  columns: readonly ReviewColumn[],
  { texts }: PageContext,
): Html | undefined {
  const held = reviews.filter(({ heldMinor }) => heldMinor !== null);
  const currency = onlyCurrency(held);
  if (currency === undefined) return undefined;
  const sum = held.reduce((total, { heldMinor }) => total + (heldMinor ?? 0n), 0n);
  const before = columns.findIndex(({ style }) => style.includes('arrived'));
  return html`<tfoot role="rowgroup">
    <tr role="row">
      <th scope="row" role="rowheader" colspan="${before}">${texts.reviews.held}</th>
      <td role="cell" class="amount-cell"><span class="unit">${currency} </span>${figure(sum)}</td>
      <td role="cell" class="more" colspan="${columns.length - before - 1}"></td>
    </tr>
  </tfoot>`;
}
