import { automaticApprover } from '#domain/payouts';
import { html, type Html } from '#shared/html';
import { type ItemReceipt, type TransactionItem } from '#views/transactions';
import { definitions, emptyState, money, statusMark, table, time } from '../../page/parts.js';
import { failureText } from '../../text/failures.js';
import { type Names, personName } from '../colleagues.js';
import { deliveriesTable } from '../developer/deliveries-table.js';
import { type Place } from '../place.js';
import { type Delivery } from '#records/webhooks';
import { type MerchantTexts } from '../merchant-texts.js';
import { type Step, type TimedStep } from './timeline.js';

export interface ItemModel {
  readonly place: Place;
  readonly item: TransactionItem;
  readonly names: Names;
  readonly steps: readonly TimedStep[];
  /** Undefined if the records or views cannot answer at the moment. */
  readonly receipt: ItemReceipt | undefined;
  /** Undefined if the viewer may not see them. */
  readonly deliveries: readonly Delivery[] | undefined;
}

/** The page of one collection or payout, as its merchant sees it. */
export function itemPage(model: ItemModel, texts: MerchantTexts): Html {
  const { place, item, names, steps, deliveries } = model;
  const { timeline, timelineHead } = texts.item;
  return html`${facts(place, item, texts)}
  ${table({
    caption: timeline,
    head: [timelineHead.time, timelineHead.what],
    rows: steps.map(({ at, step }) => [
      time(at, place.timezone),
      stepText(step, { currency: item.currency, names }, texts),
    ]),
    empty: html``,
  })}
  ${proof(model, texts)}
  ${deliveries && deliveriesTable(deliveries, { place, texts, empty: texts.item.noDeliveries })}`;
}

function facts({ timezone, base }: Place, item: TransactionItem, texts: MerchantTexts): Html {
  const { common, item: words, list } = texts;
  const { currency, requested_minor: requested, batch } = item;
  const mark = statusMark(item.status, common.statuses[item.status]);
  const instant = (at: string | null): Html | undefined =>
    at === null ? undefined : time(at, timezone);
  return definitions([
    [
      common.status,
      item.under_review ? html`${mark} ${statusMark('under_review', list.underReview)}` : mark,
    ],
    [common.amount, money(item.amount_minor, currency)],
    [words.requested, requested === undefined ? undefined : money(requested, currency)],
    [common.fee, feeOf(item)],
    [common.account, item.account_no],
    [common.receipt, item.receipt ?? undefined],
    [words.railReference, item.rail_reference ?? undefined],
    [
      words.failure,
      item.failure_code === null ? undefined : failureText(item.failure_code, texts.language),
    ],
    [
      words.batch,
      batch === undefined
        ? undefined
        : html`<a href="${base}/transactions?${new URLSearchParams({ batch }).toString()}"
            >${batch}</a
          >`,
    ],
    [common.created, instant(item.created_at)],
    [common.paid, instant(item.paid_at)],
    [common.completed, instant(item.completed_at)],
  ]);
}

/** The fee, or undefined for an item that failed or was rejected: it is not charged. */
export function feeOf({ status, fee_minor, currency }: TransactionItem): Html | undefined {
  return status === 'failed' || status === 'rejected' ? undefined : money(fee_minor, currency);
}

function stepText(
  step: Step,
  { currency, names }: { readonly currency: string; readonly names: Names },
  { item, language }: MerchantTexts,
): Html {
  const word = item.steps[step.kind];
  const holder = (by: string): string =>
    by === automaticApprover ? item.automatic : personName(by, names);
  switch (step.kind) {
    case 'asked':
      return html`${word}: ${money(step.amountMinor, currency)}, ${item.phone(step.phone)}`;
    case 'payout_asked':
      return html`${word}: ${money(step.amountMinor, currency)}, ${item.phone(step.phone)}.
      ${item.byHolder(holder(step.by))}`;
    case 'refused':
    case 'declined':
      return html`${word}: ${failureText(step.failureCode, language)}`;
    case 'paid':
      return html`${word}${step.receipt === undefined ? undefined : html`: ${step.receipt}`}`;
    case 'posted':
      return html`${word}: ${money(step.amountMinor, currency)} (${money(step.feeMinor, currency)})`;
    case 'other_amount':
      return html`${word}: ${money(step.amountMinor, currency)}`;
    case 'approved':
      return html`${word}. ${item.byHolder(holder(step.by))}`;
    case 'rejected':
      return html`${word}: ${failureText(step.reason, language)}.
      ${step.by === undefined ? undefined : item.byHolder(holder(step.by))}`;
    case 'prompt_shown':
    case 'under_review':
    case 'decided':
    case 'returned':
    case 'reserved':
    case 'expired':
    case 'waits_for_float':
    case 'sent':
      return html`${word}`;
  }
}

/** Receipt and proof, as GET …/receipt answers. */
function proof({ place, item, receipt }: ItemModel, { item: words, common }: MerchantTexts): Html {
  const { base, timezone } = place;
  if (receipt === undefined)
    return html`<h2>${words.proof}</h2>
      <p>${common.unavailable}</p>`;
  const sealed = receipt.head?.head.date;
  const file = `${base}/items/${item.type}/${encodeURIComponent(item.reference)}/receipt.json`;
  return html`<h2>${words.proof}</h2>
    ${table({
      caption: words.postings,
      head: [words.leaf, words.posted, words.state],
      rows: receipt.postings.map(({ leaf_hash, posting, proof: inclusion, sealed_by }) => [
        html`<code>${leaf_hash}</code>`,
        time(posting.recordedAt, timezone),
        inclusion && sealed !== undefined
          ? statusMark('ok', words.sealed(sealed))
          : html`${statusMark('pending', words.sealedBy)}
            ${sealed_by === undefined ? undefined : time(sealed_by, timezone)}`,
      ]),
      empty: emptyState(words.notPosted.text, words.notPosted.todo),
    })}
    ${
      receipt.postings.length === 0
        ? undefined
        : html`<p><a href="${file}" download>${words.receiptFile}</a></p>
            <p>${words.receiptHow}</p>`
    }`;
}
