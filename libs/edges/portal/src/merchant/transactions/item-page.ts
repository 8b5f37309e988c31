import { html, type Html } from '#shared/html';
import { type Delivery } from '#records/webhooks';
import { type ItemReceipt, type TransactionItem } from '#views/transactions';
import { copyable, shortTime, type WallClock } from '../../page/list-parts.js';
import { definitions, emptyState, money, statusMark, table, time } from '../../page/parts.js';
import { failureAdvice, failureText } from '../../text/failures.js';
import { type Names } from '../colleagues.js';
import { deliveriesTable } from '../developer/deliveries-table.js';
import { type MerchantTexts } from '../merchant-texts.js';
import { type Place } from '../place.js';
import { chargedFee } from './item-fee.js';
import { type TimedStep } from './timeline.js';
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
  /** True if the page tells the viewer how to refund this collection. */
  readonly showsRefund: boolean;
}

/** The page of one collection or payout, as its merchant sees it: the timeline at the left, the details at the right. */
export function itemPage(model: ItemModel, texts: MerchantTexts): Html {
  const { place, item, names, steps, clock, deliveries } = model;
  const { item: words } = texts;
  const { currency, reference } = item;
  return html`<div class="amount-line">
      <p class="amount">${money(item.amount_minor, currency)}</p>
      ${statusBadges(item, texts)}
    </div>
    <p>${copyable(reference, words.copy(reference))}</p>
    ${
      item.failure_code === null
        ? undefined
        : failureLines({ code: item.failure_code, type: item.type }, texts)
    }
    <div class="split">
      <section aria-labelledby="timeline">
        <h2 id="timeline">${words.timeline}</h2>
        ${timelineList({ type: item.type, steps, clock, currency, names }, texts)}
      </section>
      <section class="card" aria-labelledby="details">
        <h2 id="details">${words.details}</h2>
        ${facts(model, texts)}
      </section>
    </div>
    ${model.showsRefund ? html`<p><b>${words.refund}:</b> ${words.refundHow}</p>` : undefined}
    ${proof(model, texts)}
    ${deliveries && deliveriesTable(deliveries, { place, texts, clock, empty: words.noDeliveries })}`;
}

/** The reason of a failure, and the next step. */
function failureLines(
  failed: Parameters<typeof failureText>[0],
  { language, item: words }: MerchantTexts,
): Html {
  return html`<p>${words.failure}: ${failureText(failed, language)}</p>
    <p class="soft">${failureAdvice(failed, language)}</p>`;
}

function facts({ place, item }: ItemModel, texts: MerchantTexts): Html {
  const { common, item: words } = texts;
  const { currency, requested_minor: requested, batch } = item;
  const fee = chargedFee(item);
  const instant = (at: string | null): Html | undefined =>
    at === null ? undefined : time(at, place.timezone);
  return definitions([
    [common.type, common.types[item.type]],
    [words.requested, requested === undefined ? undefined : money(requested, currency)],
    [common.fee, fee === undefined ? undefined : money(fee, currency)],
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

/** Receipt and proof, as GET …/receipt answers. */
function proof({ item, receipt, clock }: ItemModel, texts: MerchantTexts): Html {
  const { item: words, common } = texts;
  const technical = html`<details>
    <summary>${words.technical}</summary>
    ${definitions([
      [words.id, html`<code>${item.id}</code>`],
      [
        words.railReference,
        item.rail_reference === null ? undefined : html`<code>${item.rail_reference}</code>`,
      ],
      ...(receipt?.postings ?? []).map(
        ({ leaf_hash }) => [words.leaf, html`<code>${leaf_hash}</code>`] as const,
      ),
    ])}
  </details>`;
  if (receipt === undefined)
    return html`<h2>${words.proof}</h2>
      <p>${common.unavailable}</p>
      ${technical}`;
  const sealed = receipt.head?.head.date;
  return html`<h2>${words.proof}</h2>
    ${table({
      caption: words.postings,
      head: [words.posted, words.state],
      rows: receipt.postings.map(({ posting, proof: inclusion, sealed_by }) => [
        shortTime(posting.recordedAt, clock),
        inclusion && sealed !== undefined
          ? statusMark('ok', words.sealed(sealed))
          : html`${statusMark('pending', words.sealedBy)}
            ${sealed_by === undefined ? undefined : shortTime(sealed_by, clock)}`,
      ]),
      empty: emptyState(words.notPosted.text, words.notPosted.todo),
    })}
    ${receipt.postings.length === 0 ? undefined : html`<p>${words.receiptHow}</p>`} ${technical}`;
}
