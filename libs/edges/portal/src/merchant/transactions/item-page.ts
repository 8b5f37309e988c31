import { html, type Html } from '#shared/html';
import { type Delivery } from '#records/webhooks';
import { type ItemReceipt, type TransactionItem } from '#views/transactions';
import { icon } from '../../page/icons.js';
import { copyable, exactTime, shortTime, type WallClock, zoneAt } from '../../page/list-parts.js';
import {
  definitions,
  emptyAction,
  emptyState,
  money,
  moneyText,
  notice,
} from '../../page/parts.js';
import { failureAdvice, failureText } from '../../text/failures.js';
import { type Names } from '../colleagues.js';
import { deliveriesTable } from '../developer/deliveries-table.js';
import { type MerchantTexts } from '../merchant-texts.js';
import { type Place } from '../place.js';
import { refundFacts } from '../refunds/item-refunds.js';
import { chargedFee } from './item-fee.js';
import { phoneOf, type TimedStep } from './timeline.js';
import { timelineList } from './timeline-list.js';
import { statusBadges } from './transactions-table.js';

export interface ItemModel {
  readonly place: Place;
  readonly clock: WallClock;
  readonly item: TransactionItem;
  readonly names: Names;
  readonly steps: readonly TimedStep[];
  /** Undefined if the records or views cannot answer at the moment. */
  readonly receipt: ItemReceipt | undefined;
  /** Undefined if the viewer may not see them. */
  readonly deliveries: readonly Delivery[] | undefined;
}

/** The h1 of an item's page: the amount with its status. */
export function itemHeading(item: TransactionItem, texts: MerchantTexts): Html {
  return html`<span class="amount-line"
    ><span class="amount">${money(item.amount_minor, item.currency)}</span>
    ${statusBadges(item, texts)}</span
  >`;
}

/** The page of one collection or payout, as its merchant sees it: the timeline at the left, the details at the right. */
export function itemPage(model: ItemModel, texts: MerchantTexts): Html {
  const { item, names, steps, clock, deliveries } = model;
  const { item: words, common } = texts;
  const { reference } = item;
  const zone = html`<small class="soft">${zoneAt(item.created_at, clock.timezone)}</small>`;
  return html`<p class="named">
      <span class="soft">${common.types[item.type]}</span>
      ${copyable(reference, words.copy(reference))}
    </p>
    ${reviewNotice(item, steps, texts)}
    ${
      item.failure_code === null
        ? undefined
        : failureLines({ ...item, code: item.failure_code }, texts)
    }
    <div class="split">
      <section aria-labelledby="timeline">
        <h2 id="timeline">${words.timeline} ${zone}</h2>
        ${timelineList({ ...item, steps, clock, names }, texts)}
      </section>
      <section class="card" aria-labelledby="details">
        <h2 id="details">${words.details} ${zone}</h2>
        ${facts(model, texts)}
      </section>
    </div>
    ${deliveries && webhooks(deliveries, model, texts)} ${technical(model, texts)}`;
}

/** The webhooks about the item. If there are none, the list says when one is sent and leads to the endpoints. */
function webhooks(
  deliveries: readonly Delivery[],
  { place, clock }: ItemModel,
  texts: MerchantTexts,
): Html {
  const { deliveries: title, noDeliveries: none } = texts.item;
  const action = emptyAction(`${place.base}/webhooks`, none.link);
  const shown =
    deliveries.length === 0
      ? emptyState(none.text, html`${none.todo} ${action}`, 'webhooks')
      : deliveriesTable(deliveries, { place, texts, clock });
  return html`<h2>${title}</h2>
    ${shown}`;
}

/** Tells the merchant of a payment in review what arrived, what happens next, and where the money is. */
function reviewNotice(
  item: TransactionItem,
  steps: readonly TimedStep[],
  { item: { review } }: MerchantTexts,
): Html | undefined {
  if (!item.under_review) return undefined;
  const { currency, requested_minor: requested = item.amount_minor } = item;
  const received = steps
    .map(({ step }) => (step.kind === 'other_amount' ? step.amountMinor : undefined))
    .findLast((amount) => amount !== undefined);
  const arrived =
    received === undefined
      ? undefined
      : review.received(moneyText(received, currency), moneyText(requested, currency));
  const next = item.status === 'pending' ? review.pending[item.type] : review.settled;
  return notice('warning', html`<b>${review.title}</b> ${arrived} ${next}`);
}

/** The reason of a failure, and the next step. */
function failureLines(
  failed: Parameters<typeof failureText>[0],
  { language, item: words }: MerchantTexts,
): Html {
  return html`<div class="notice notice-error">
    ${icon('bad')}
    <div>
      <p><b>${words.failure}: ${failureText(failed, language)}</b></p>
      <p>${failureAdvice(failed, language)}</p>
    </div>
  </div>`;
}

function facts(model: ItemModel, texts: MerchantTexts): Html {
  const { place, item, steps, clock } = model;
  const { common, item: words } = texts;
  const { currency, requested_minor: requested, batch } = item;
  const fee = chargedFee(item);
  const instant = (at: string | null): Html | undefined =>
    at === null ? undefined : exactTime(at, clock);
  const isOpen = item.status === 'pending' || item.status === 'pending_approval';
  return definitions([
    [common.customer, phoneOf(steps)],
    [words.requested, requested === undefined ? undefined : money(requested, currency)],
    [isOpen ? words.expectedFee : common.fee, fee === undefined ? undefined : money(fee, currency)],
    ...refundFacts(model, texts),
    [common.account, item.account_no],
    [common.receipt, item.receipt === null ? undefined : html`<code>${item.receipt}</code>`],
    [
      words.batch,
      batch === undefined
        ? undefined
        : html`<a href="${place.base}/transactions?${new URLSearchParams({ batch }).toString()}"
            >${batch}</a
          >`,
    ],
    [common.created, instant(item.created_at)],
    [common.paid, instant(item.paid_at)],
    [common.completed, instant(item.completed_at)],
  ]);
}

/** Ids, and for money that was posted its ledger entries with their proof, as GET …/receipt answers. */
function technical({ item, receipt, clock }: ItemModel, texts: MerchantTexts): Html {
  const { item: words, common } = texts;
  const isPosted = item.status === 'completed';
  const entries = isPosted ? (receipt?.postings ?? []) : [];
  return html`<details class="technical">
    <summary>${words.technical}</summary>
    ${definitions([
      [words.id, html`<code>${item.id}</code>`],
      [
        words.railReference,
        item.rail_reference === null ? undefined : html`<code>${item.rail_reference}</code>`,
      ],
      ...entries.flatMap((entry) => entryFacts(entry, receipt?.head?.head.date, clock, texts)),
    ])}
    ${isPosted && receipt === undefined ? html`<p>${common.unavailable}</p>` : undefined}
    ${entries.length === 0 ? undefined : html`<p class="soft">${words.receiptHow}</p>`}
  </details>`;
}

function entryFacts(
  { posting, proof, sealed_by, leaf_hash }: ItemReceipt['postings'][number],
  sealed: string | undefined,
  clock: WallClock,
  { item: words }: MerchantTexts,
): readonly (readonly [string, Html])[] {
  const state =
    proof && sealed !== undefined
      ? html`${words.sealed(sealed)}`
      : html`${words.sealedBy} ${sealed_by === undefined ? undefined : shortTime(sealed_by, clock)}`;
  return [
    [words.posted, exactTime(posting.recordedAt, clock)],
    [words.state, state],
    [words.leaf, html`<code>${leaf_hash}</code>`],
  ];
}
