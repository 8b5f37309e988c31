import { modes } from '#domain/kernel';
import { html, type Html } from '#shared/html';
import { itemOf } from '#views/cases';
import { type listReviews, type OpenReview } from '#views/reviews';
import { emptyState, field, form, money, nextPage, table, time } from '../page/parts.js';
import { textsOf } from '../text/texts-of.js';
import { decisionWord, itemHref, type Look, who } from './looks.js';

export interface ReviewsFilter {
  readonly why: string;
  readonly mode: string;
  readonly merchant: string;
}

type Listed = Awaited<ReturnType<typeof listReviews>>;

/** The reviews that are open, a page of them. */
export function reviewsPage(
  { reviews, more, asOf }: Listed,
  filter: ReviewsFilter,
  look: Look,
): Html {
  const { texts, zone, viewer } = look;
  const next = more ? addressOf(filter, reviews.at(-1)?.position) : undefined;
  return html`${filterForm(filter, look)}
    ${table({
      caption: texts.reviews.caption,
      head: [
        texts.reference,
        texts.since,
        texts.reviews.cause,
        texts.status,
        { text: texts.amount, isNumber: true },
        texts.mode,
        texts.merchant,
        texts.reviews.proposal,
      ],
      rows: reviews.map((review) => [
        reference(review),
        time(review.flaggedAt, zone),
        texts.causes[review.why],
        review.status,
        money(review.requestedMinor, review.currency),
        texts.modes[review.mode],
        html`<code>${review.merchantId}</code>`,
        proposal(review, look),
      ]),
      empty: emptyState(texts.reviews.empty, texts.reviews.emptyTodo),
    })}
    <p>${texts.asOf} ${time(asOf, zone)}</p>
    ${nextPage(next, textsOf(viewer).next)}`;
}

function reference({ stream, reference: text }: OpenReview): Html {
  const item = itemOf(stream);
  return item ? html`<a href="${itemHref(item)}">${text}</a>` : html`${text}`;
}

function proposal({ proposal: waits }: OpenReview, look: Look): string | Html {
  if (!waits) return look.texts.none;
  const { decision, proposedBy } = waits;
  return html`${decisionWord(decision, look.texts)}, ${who(proposedBy, look)}`;
}

function filterForm({ why, mode, merchant }: ReviewsFilter, { texts, viewer }: Look): Html {
  return form(viewer, {
    action: '/portal/reviews',
    method: 'get',
    submit: texts.filter,
    isRow: true,
    fields: [
      field({
        name: 'why',
        label: texts.reviews.cause,
        value: why,
        options: [['', texts.reviews.anyCause], ...Object.entries(texts.causes)],
      }),
      field({
        name: 'mode',
        label: texts.mode,
        value: mode,
        options: [['', texts.allModes], ...modes.map((each) => [each, texts.modes[each]] as const)],
      }),
      field({ name: 'merchant', label: texts.merchant, value: merchant, maxLength: 64 }),
    ],
  });
}

function addressOf(filter: ReviewsFilter, after: bigint | undefined): string | undefined {
  if (after === undefined) return undefined;
  const given = Object.entries(filter).filter(([, value]: [string, string]) => value !== '');
  const query = new URLSearchParams([...given, ['after', after.toString()]]);
  return `/portal/reviews?${query.toString()}`;
}
