import { modes } from '#domain/kernel';
import { permits } from '#domain/people';
import { html, type Html } from '#shared/html';
import { type InboxRow, type MissedMoney } from '#records/rails';
import { itemOf } from '#desk/operators';
import { type listReviews, type OpenReview } from '#views/reviews';
import {
  choice,
  emptyState,
  field,
  form,
  money,
  nextPage,
  statusMark,
  table,
  time,
} from '../page/parts.js';
import { textsOf } from '../text/texts-of.js';
import {
  decisionWord,
  itemHref,
  type PageContext,
  merchantName,
  railCurrency,
  when,
  who,
} from './page-context.js';

export interface ReviewsFilter {
  readonly why: string;
  readonly mode: string;
  readonly merchant: string;
}

type Listed = Awaited<ReturnType<typeof listReviews>>;

export interface ReviewsPage extends Listed {
  readonly filter: ReviewsFilter;
  /** Payments that a rail took and that are not in the ledger, although their item is known. */
  readonly missed: MissedMoney['payments'];
  /** Payments out that the rail reported and that no item here accounts for. */
  readonly told: readonly InboxRow[];
}

/** Ids of the forms to which the checkboxes of a table belong. */
const [togetherId, openId] = ['together', 'open-together'];

/** The page that lists open reviews, with the forms that decide several of them together. */
export function reviewsPage(
  { reviews, more, asOf, filter, missed, told }: ReviewsPage,
  context: PageContext,
): Html {
  const { texts, viewer } = context;
  const next = more ? addressOf(filter, reviews.at(-1)?.position) : undefined;
  const mayDecide = permits(viewer.roles, 'reviews.decide') && reviews.length > 0;
  return html`${filterForm(filter, context)}
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
        ...(mayDecide ? [texts.together.choose] : []),
      ],
      rows: reviews.map((review) => [
        reference(review),
        when(review.flaggedAt, context),
        texts.causes[review.why],
        statusMark(review.status, texts.statuses[review.status]),
        money(review.requestedMinor, review.currency),
        texts.modes[review.mode],
        merchantName(review.merchantId, context),
        proposal(review, context),
        ...(mayDecide
          ? [
              choice(togetherId, {
                name: 'item',
                value: review.stream,
                label: texts.together.chooseOne(review.reference),
              }),
            ]
          : []),
      ]),
      empty: emptyState(texts.reviews.empty, texts.reviews.emptyTodo),
    })}
    <p class="soft">${texts.asOf} ${when(asOf, context)}</p>
    ${nextPage(next, textsOf(viewer).next)}
    ${told.length > 0 ? toldPayments(told, context) : undefined}
    ${mayDecide ? decideTogether(context) : undefined}
    ${
      missed.length > 0 && permits(viewer.roles, 'reviews.open')
        ? openTogether(missed, context)
        : undefined
    }`;
}

/** Payments that the rail reports for payouts that are rejected, were never sent or are unknown here (PAY-62). */
function toldPayments(told: readonly InboxRow[], context: PageContext): Html {
  const { texts } = context;
  const { toldCaption, toldText } = texts.reviews;
  return html`<h2>${toldCaption}</h2>
    <p>${toldText}</p>
    ${table({
      caption: toldCaption,
      head: [
        texts.receipt,
        texts.reference,
        { text: texts.amount, isNumber: true },
        texts.mode,
        texts.merchant,
        texts.item.paidAt,
        texts.since,
      ],
      rows: told.map(({ stream, toldReceipt, toldMinor, toldPaidAt, receivedAt, outcome }) => {
        const item = itemOf(stream);
        const isKnown = item !== undefined && outcome !== 'left_for_review: unknown_payout';
        return [
          toldReceipt ?? texts.none,
          isKnown ? html`<a href="${itemHref(item)}">${item.key.reference}</a>` : stream,
          toldMinor === null ? texts.none : money(toldMinor, railCurrency),
          item ? texts.modes[item.key.mode] : texts.none,
          item ? merchantName(item.key.merchantId, context) : texts.none,
          toldPaidAt === null ? texts.none : when(toldPaidAt, context),
          when(receivedAt, context),
        ];
      }),
      empty: html``,
    })}`;
}

/**
 * The form of one decision for all chosen items. It offers no decision that names a payment, because each item has its
 * own.
 */
function decideTogether({ texts, viewer }: PageContext): Html {
  const { together: words, decisions } = texts;
  const offered = ['failed', 'suspense_to_merchant', 'refunded', 'paid'] as const;
  return html`<h2>${words.propose}</h2>
    <p>${words.proposeText}</p>
    ${form(viewer, {
      action: '/portal/reviews/together',
      id: togetherId,
      submit: words.proposeButton,
      fields: [
        field({
          name: 'decision',
          label: words.decision,
          // No decision is preselected: a decision about many needs a choice.
          options: [
            ['', words.chooseDecision],
            ...offered.map(
              (each) => [each, each === 'paid' ? words.postingStands : decisions[each]] as const,
            ),
          ],
          isRequired: true,
        }),
        reasonField('together-reason', texts),
      ],
    })}`;
}

/**
 * The form for payments of the rail's statement whose collection or payout waits. It opens a review of each, with the
 * rail's own line.
 */
function openTogether(missed: MissedMoney['payments'], context: PageContext): Html {
  const { texts, viewer, zone } = context;
  const { together: words } = texts;
  return html`<h2>${texts.platform.missedCaption}</h2>
    <p>${words.openText}</p>
    ${table({
      caption: texts.platform.missedCaption,
      head: [
        texts.receipt,
        texts.reference,
        { text: texts.amount, isNumber: true },
        texts.mode,
        texts.item.paidAt,
        words.choose,
      ],
      rows: missed.map(({ receipt, stream, amountMinor, mode, paidAt }) => {
        const item = stream === null ? undefined : itemOf(stream);
        return [
          receipt,
          item ? html`<a href="${itemHref(item)}">${item.key.reference}</a>` : '',
          money(amountMinor, railCurrency),
          texts.modes[mode],
          time(paidAt, zone),
          choice(openId, {
            name: 'payment',
            value: `${mode} ${receipt}`,
            label: words.chooseOne(receipt),
          }),
        ];
      }),
      empty: html``,
    })}
    ${form(viewer, {
      action: '/portal/reviews/open-together',
      id: openId,
      submit: words.openButton,
      fields: [reasonField('open-reason', texts)],
    })}`;
}

function reasonField(id: string, { fields }: PageContext['texts']): Html {
  return field({
    name: 'reason',
    id,
    label: fields.reason,
    hint: fields.reasonHint,
    type: 'textarea',
    isRequired: true,
    maxLength: 500,
  });
}

function reference({ stream, reference: text }: OpenReview): Html {
  const item = itemOf(stream);
  return item ? html`<a href="${itemHref(item)}">${text}</a>` : html`${text}`;
}

function proposal({ proposal: waits }: OpenReview, context: PageContext): string | Html {
  if (!waits) return context.texts.none;
  const { decision, proposedBy } = waits;
  return html`${decisionWord(decision, context.texts)}, ${who(proposedBy, context)}`;
}

function filterForm({ why, mode, merchant }: ReviewsFilter, { texts, viewer }: PageContext): Html {
  return form(viewer, {
    action: '/portal/reviews',
    method: 'get',
    submit: texts.filter,
    look: 'secondary',
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
