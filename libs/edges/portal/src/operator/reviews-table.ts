import { type Minor, type Mode } from '#domain/kernel';
import { permits } from '#domain/people';
import { html, type Html } from '#shared/html';
import { itemOf } from '#desk/operators';
import { type OpenReview } from '#views/reviews';
import { figure, onlyCurrency } from '../page/list-parts.js';
import { type ListColumn, listTable } from '../page/list-table.js';
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
 * The open reviews with the sum that is held in suspense.
 * @param formId of the form to which the check boxes belong
 */
export function reviewsTable(
  reviews: readonly OpenReview[],
  formId: string,
  context: PageContext,
): Html {
  const columns = columnsOf(reviews, formId, context);
  const [mode, ...others] = modesOf(reviews);
  const of = mode === undefined || others.length > 0 ? undefined : modeMark(mode, context);
  return html`${of && html`<p>${of}</p>`}
  ${listTable({
    caption: context.texts.reviews.caption,
    look: 'reviews',
    columns,
    rows: reviews.map((review) => columns.map(({ cell }) => cell(review))),
    foot: foot(reviews, columns, context),
  })}`;
}

function modesOf(reviews: readonly OpenReview[]): ReadonlySet<Mode> {
  return new Set(reviews.map(({ mode }) => mode));
}

interface ReviewColumn extends ListColumn {
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
  const isMixed = modesOf(reviews).size > 1;
  const pick: ReviewColumn = {
    text: texts.together.choose,
    style: 'pick',
    isUnnamed: true,
    cell: ({ stream, reference }) =>
      choice(formId, { name: 'item', value: stream, label: texts.together.chooseOne(reference) }),
  };
  return [
    ...(permits(viewer.roles, 'reviews.decide') ? [pick] : []),
    { text: words.age, style: 'when', cell: ({ flaggedAt }) => age(flaggedAt, context) },
    {
      text: inCurrency(texts.item.arrived),
      style: 'amount-cell arrived',
      cell: (review) => amount(review.heldMinor, review),
    },
    {
      text: inCurrency(texts.item.askedFor),
      style: 'amount-cell asked',
      cell: (review) => amount(review.requestedMinor, review),
    },
    { text: words.cause, style: 'status', cell: ({ why }) => html`${words.shortCauses[why]}` },
    {
      text: texts.reference,
      style: 'ref',
      isHeading: true,
      cell: (review) =>
        isMixed ? html`${reference(review)} ${modeMark(review.mode, context)}` : reference(review),
    },
    {
      text: texts.merchant,
      style: 'more over',
      cell: ({ merchantId }) => merchantName(merchantId, context),
    },
    { text: words.proposal, style: 'over proposed', cell: (review) => proposal(review, context) },
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
  return html`<tr role="row">
    <th scope="row" role="rowheader" colspan="${before}">${texts.reviews.held}</th>
    <td role="cell" class="amount-cell"><span class="unit">${currency} </span>${figure(sum)}</td>
    <td role="cell" class="more" colspan="${columns.length - before - 1}"></td>
  </tr>`;
}
