import { html, type Html } from '#shared/html';
import { type FailingEndpoints } from '#records/webhooks';
import { itemOf, type PartStanding } from '#desk/operators';
import { type MissedMoney } from '#records/rails';
import { type ReviewCount } from '#views/reviews';
import { definitions, money, notice, table } from '../page/parts.js';
import {
  duration,
  itemHref,
  type PageContext,
  merchantName,
  railCurrency,
  when,
} from './page-context.js';
import { type Shown } from './status-shown.js';
import { type WaitingShares } from './waiting-shares.js';

type Core<What extends PartStanding['what']> = Extract<
  PartStanding,
  { what: What; facts: unknown }
>['facts'];

/** The age of the oldest entry, or undefined if the queue is empty. */
function oldest(count: number, seconds: number, { texts }: PageContext): string | undefined {
  return count === 0 ? undefined : texts.platform.oldest(duration(seconds, texts));
}

/** Approvals that the viewer may decide. Those of other people are shown beside them, without a next step. */
export function approvalsQueue(
  { own, oldest: since, others, more }: WaitingShares,
  context: PageContext,
): Shown {
  const { facts: words } = context.texts.platform;
  const seconds = since ? Math.max(0, (context.now.getTime() - since.getTime()) / 1000) : 0;
  const about = (count: number) => (more ? `${count}+` : count);
  return {
    figure: { value: own === 0 ? 0 : about(own), note: oldest(own, seconds, context) },
    more: others === 0 ? undefined : definitions([[words.forOthers, about(others)]]),
    ...(own > 0 ? { todo: 'approvals_wait' } : {}),
  };
}

/** Callbacks that wait for the service or for people. Reports of other senders than the rail wait, but do not count. */
export function callbacksQueue(facts: Core<'callbacks'>, context: PageContext): Shown {
  const { entries, oldestSeconds, unopened, unposted } = facts;
  const { facts: words } = context.texts.platform;
  const { ofRail, ofOthers } = unposted ?? { ofRail: 0, ofOthers: 0 };
  const kinds = [
    [words.unopened, unopened],
    [words.unposted, ofRail],
    [words.unpostedOfOthers, ofOthers],
  ] as const;
  const shown = kinds.filter(([, count]) => count > 0);
  return {
    figure: { value: entries + ofRail, note: oldest(entries, oldestSeconds, context) },
    more: shown.length === 0 ? undefined : definitions(shown),
  };
}

export function railQueue(facts: Core<'rail'>, context: PageContext): Shown {
  const { collections, unanswered, oldestSeconds } = facts;
  const { facts: words } = context.texts.platform;
  return {
    figure: { value: collections, note: oldest(collections, oldestSeconds, context) },
    more: unanswered === 0 ? undefined : definitions([[words.unanswered, unanswered]]),
  };
}

/** Open reviews: their number, and a table of them by reason. */
export function reviewsQueue(
  reviews: readonly ReviewCount[],
  context: PageContext & { readonly isMore: boolean },
): Shown {
  const { texts, now } = context;
  const { platform: words } = texts;
  const open = reviews.reduce((sum, each) => sum + each.open, 0);
  const ageOf = ({ oldest: since }: ReviewCount): number =>
    (now.getTime() - since.getTime()) / 1000;
  const rows = reviews.map((each) => [
    html`<a href="/portal/reviews?why=${each.why}&amp;mode=${each.mode}"
      >${texts.causes[each.why]}</a
    >`,
    texts.modes[each.mode],
    each.open,
    each.proposed,
    duration(ageOf(each), texts),
  ]);
  return {
    figure: {
      value: context.isMore ? `${open}+` : open,
      note: oldest(open, Math.max(0, ...reviews.map(ageOf)), context),
    },
    list: table({
      caption: words.reviewsCaption,
      head: [
        texts.reviews.cause,
        texts.mode,
        { text: words.facts.open, isNumber: true },
        { text: words.proposedCount, isNumber: true },
        words.facts.oldest,
      ],
      rows,
      empty: html``,
    }),
  };
}

export function payoutsQueue(facts: Core<'payouts'>, context: PageContext): Shown {
  const { forRail, oldestSeconds, forFloat, unsentSeconds } = facts;
  const { texts } = context;
  const { facts: words } = texts.platform;
  const shown = [
    ...(forFloat > 0 ? [[words.withoutFloat, forFloat] as const] : []),
    ...(unsentSeconds > 0 ? [[words.unsent, duration(unsentSeconds, texts)] as const] : []),
  ];
  return {
    figure: { value: forRail, note: oldest(forRail, oldestSeconds, context) },
    more: shown.length === 0 ? undefined : definitions(shown),
  };
}

/** @param failing undefined if the endpoints that fail are not known, or must not be shown */
export function webhooksQueue(
  facts: Core<'webhooks'>,
  failing: FailingEndpoints | undefined,
  context: PageContext,
): Shown {
  const { texts } = context;
  const { facts: words } = texts.platform;
  const ages = [
    [words.overdue, facts.overdueSeconds],
    [words.unattempted, facts.unattemptedSeconds],
  ] as const;
  const late = ages.filter(([, seconds]) => seconds > 0);
  return {
    figure: { value: facts.waiting, note: oldest(facts.waiting, facts.oldestSeconds, context) },
    more:
      late.length === 0
        ? undefined
        : definitions(late.map(([name, seconds]) => [name, duration(seconds, texts)])),
    ...(failing && failing.endpoints.length > 0
      ? { list: failingEndpoints(failing, context), todo: 'webhooks_failing' }
      : {}),
  };
}

function failingEndpoints({ endpoints, ofAll }: FailingEndpoints, context: PageContext): Html {
  const { texts } = context;
  const { platform: words } = texts;
  return html`${table({
    caption: words.failingCaption,
    head: [
      texts.merchant,
      texts.mode,
      words.endpoint,
      { text: words.failures, isNumber: true },
      words.failingSince,
      words.lastAnswer,
    ],
    rows: endpoints.map((endpoint) => [
      merchantName(endpoint.merchantId, context),
      texts.modes[endpoint.mode],
      endpoint.callbackHost === '' ? endpoint.kind : `${endpoint.kind}, ${endpoint.callbackHost}`,
      endpoint.failures,
      when(endpoint.failingSince, context),
      endpoint.lastStatus ?? endpoint.lastOutcome,
    ]),
    empty: html``,
  })}
  ${ofAll > endpoints.length ? notice('info', words.moreThanShown(ofAll)) : undefined}`;
}

/** Payments that a rail took and the ledger does not have. */
export function unmatchedPayments({ payments, more }: MissedMoney, context: PageContext): Shown {
  if (payments.length === 0) return { figure: { value: 0, note: undefined } };
  const { texts } = context;
  const { platform: words } = texts;
  const whys: Readonly<Record<string, string>> = words.missedWhy;
  const list = html`${table({
    caption: words.missedCaption,
    head: [
      texts.receipt,
      { text: `${texts.amount} (${railCurrency})`, isNumber: true },
      texts.mode,
      texts.item.paidAt,
      texts.reviews.cause,
      texts.reference,
    ],
    rows: payments.map(({ receipt, amountMinor, mode, paidAt, why, stream }) => {
      const item = stream === null ? undefined : itemOf(stream);
      return [
        receipt,
        money(amountMinor, ''),
        texts.modes[mode],
        when(paidAt, context),
        whys[why] ?? why,
        item ? html`<a href="${itemHref(item)}">${item.key.reference}</a>` : '',
      ];
    }),
    empty: html``,
  })}
  ${more ? notice('info', texts.find.more) : undefined}`;
  const value = more ? `${payments.length}+` : payments.length;
  return { figure: { value, note: undefined }, list, todo: 'missed_money' };
}
