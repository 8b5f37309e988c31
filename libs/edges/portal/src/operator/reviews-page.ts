import { isMode, modes } from '#domain/kernel';
import { permits } from '#domain/people';
import { html, type Html } from '#shared/html';
import { type InboxRow, type MissedMoney } from '#records/rails';
import { itemOf } from '#desk/operators';
import { type listReviews } from '#views/reviews';
import { choice, emptyState, field, form, money, nextPage, table, time } from '../page/parts.js';
import { textsOf } from '../text/texts-of.js';
import { foldedFilters } from '../page/list-parts.js';
import {
  command,
  itemHref,
  merchantName,
  type PageContext,
  railCurrency,
  when,
} from './page-context.js';
import { reasonField } from './reason-field.js';
import { reviewsTable } from './reviews-table.js';

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
  /** Reports of payments that the ledger does not have (C2B-23, PAY-62). */
  readonly unposted: readonly InboxRow[];
}

/** Ids of the forms to which the checkboxes of a table belong. */
const [togetherId, openId] = ['together', 'open-together'];

/** The page that lists open reviews, with the forms that decide several of them together. */
export function reviewsPage(
  { reviews, more, asOf, filter, missed, unposted }: ReviewsPage,
  context: PageContext,
): Html {
  const { texts, viewer } = context;
  const next = more ? addressOf(filter, reviews.at(-1)?.position) : undefined;
  const isPayout = ({ stream }: InboxRow): boolean => itemOf(stream)?.type === 'payout';
  const told = unposted.filter(isPayout);
  const reported = unposted.filter((row) => !isPayout(row));
  const mayDecide = permits(viewer.roles, 'reviews.decide') && reviews.length > 0;
  return html`${filterForm(filter, context)}
    ${
      reviews.length === 0
        ? emptyState(texts.reviews.empty, texts.reviews.emptyTodo)
        : reviewsTable(reviews, togetherId, context)
    }
    ${mayDecide ? decideTogether(context) : undefined}
    <p class="soft">${texts.asOf} ${when(asOf, context)}</p>
    ${nextPage(next, textsOf(viewer).next)}
    ${told.length > 0 ? toldPayments(told, context) : undefined}
    ${reported.length > 0 ? reportedPayments(reported, context) : undefined}
    ${
      missed.length > 0 && permits(viewer.roles, 'reviews.open')
        ? openTogether(missed, { ...context, hasPrimary: mayDecide })
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

/** Payments that a notice reports and the ledger does not have (C2B-23). */
function reportedPayments(reported: readonly InboxRow[], context: PageContext): Html {
  const { texts } = context;
  const { reviews: words } = texts;
  const whys: Readonly<Record<string, string>> = {
    ...texts.platform.missedWhy,
    ...words.reportedWhy,
  };
  return html`<h2>${words.reportedCaption}</h2>
    <p>${words.reportedText}</p>
    ${command('npx pesapost review list')}
    ${reported.some(({ trusted }) => !trusted) ? html`<p>${words.reportedByOthers}</p>` : undefined}
    ${table({
      caption: words.reportedCaption,
      head: [
        texts.receipt,
        { text: texts.amount, isNumber: true },
        texts.mode,
        words.cause,
        words.sender,
        texts.item.paidAt,
        texts.since,
      ],
      rows: reported.map((row) => {
        const [, why = ''] = (row.outcome ?? '').split(': ');
        const mode = row.stream.split(':', 1)[0]?.split('-')[1] ?? '';
        return [
          row.toldReceipt ?? texts.none,
          row.toldMinor === null ? texts.none : money(row.toldMinor, railCurrency),
          isMode(mode) ? texts.modes[mode] : texts.none,
          whys[why] ?? why,
          row.trusted ? words.railItself : words.otherSender,
          row.toldPaidAt === null ? texts.none : when(row.toldPaidAt, context),
          when(row.receivedAt, context),
        ];
      }),
      empty: html``,
    })}`;
}

/** The form of the chosen reviews. The next page has the decisions that all of them allow. */
function decideTogether({ texts, viewer }: PageContext): Html {
  const { together: words } = texts;
  return html`<p class="soft">${words.proposeText}</p>
    ${form(viewer, {
      action: '/portal/reviews/choose',
      id: togetherId,
      submit: words.proposeButton,
      fields: [],
    })}`;
}

/**
 * The form for payments of the rail's statement whose collection or payout waits. It opens a review of each, with the
 * rail's own line.
 */
function openTogether(
  missed: MissedMoney['payments'],
  context: PageContext & { readonly hasPrimary: boolean },
): Html {
  const { texts, viewer, zone, hasPrimary } = context;
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
      ...(hasPrimary && { look: 'secondary' }),
      fields: [reasonField({ name: 'reason', id: 'open-reason' }, texts)],
    })}`;
}

/** The filters, which a phone folds. */
function filterForm({ why, mode, merchant }: ReviewsFilter, { texts, viewer }: PageContext): Html {
  const set = [why, mode, merchant].filter((value) => value !== '').length;
  const fields = form(viewer, {
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
  return foldedFilters(fields, { label: texts.filters, set });
}

function addressOf(filter: ReviewsFilter, after: bigint | undefined): string | undefined {
  if (after === undefined) return undefined;
  const given = Object.entries(filter).filter(([, value]: [string, string]) => value !== '');
  const query = new URLSearchParams([...given, ['after', after.toString()]]);
  return `/portal/reviews?${query.toString()}`;
}
