import { failureOf } from '#shared/glossary';
import { html, type Html } from '#shared/html';
import { type TransactionItem } from '#views/transactions';
import { icon } from '../../page/icons.js';
import { listTable } from '../../page/list-table.js';
import { figure, onlyCurrency, shortTime, type WallClock } from '../../page/list-parts.js';
import { money, statusMark } from '../../page/parts.js';
import { type MerchantTexts } from '../merchant-texts.js';
import { itemAddress, type Place } from '../place.js';
import { type Total } from './transactions-model.js';
import { countText } from '../../text/count-text.js';

export interface Rows {
  readonly place: Place;
  readonly caption: string;
  readonly items: readonly TransactionItem[];
  /** The masked number of each item's customer by the item's id. Without it, the table has no such column. */
  readonly phones?: ReadonlyMap<string, string>;
  /** The type of all items, if the list has only one: a column would repeat it. */
  readonly onlyType?: TransactionItem['type'] | undefined;
  readonly clock: WallClock;
  readonly totals: readonly Total[];
  /** True if the totals are of this page only. */
  readonly isOfPage: boolean;
}

/** The rows of collections and payouts. On a phone each row is a card of two lines with the amount at the right. */
export function transactionsTable(rows: Rows, texts: MerchantTexts): Html {
  const { caption, items, totals, phones, onlyType, place, clock } = rows;
  const { common, list } = texts;
  const currency = onlyCurrency(items);
  const inCurrency = currency === undefined ? '' : ` (${currency})`;
  return listTable({
    caption,
    columns: [
      { text: `${common.amount}${inCurrency}`, style: 'amount-cell' },
      { text: common.status, style: 'status' },
      { text: common.reference, style: 'ref', isHeading: true },
      ...(phones ? [{ text: common.customer, style: 'customer' }] : []),
      ...(onlyType === undefined ? [{ text: common.type, style: 'type' }] : []),
      { text: list.receiptOrReason, style: 'more' },
      { text: common.created, style: 'when' },
    ],
    rows: items.map((item) => [
      amount(item, currency),
      statusBadges(item, texts),
      html`<a href="${itemAddress(place, item)}">${item.reference}</a>`,
      ...(phones ? [phones.get(item.id)] : []),
      ...(onlyType === undefined ? [typeOf(item, texts)] : []),
      receiptOrReason(item, texts),
      shortTime(item.created_at, clock),
    ]),
    foot: totals.length === 0 ? undefined : foot(rows, texts),
  });
}

const arrows = { collection: 'incoming', payout: 'payouts' } as const;

/** On a phone only the arrow is seen; the word stays for screen readers. */
function typeOf({ type }: TransactionItem, { common }: MerchantTexts): Html {
  return html`${icon(arrows[type])} <span>${common.types[type]}</span>`;
}

/** The receipt, or the reason of a failure without its code. A phone shows only the reason. */
function receiptOrReason(
  { receipt, failure_code: code, type, channel }: TransactionItem,
  { language }: MerchantTexts,
): Html | string | undefined {
  if (receipt !== null || code === null) return receipt ?? undefined;
  return html`<span class="reason"
    >${failureOf(code, type, channel)?.reason[language] ?? code}</span
  >`;
}

/** The head names a currency that all rows share; a card on a phone shows it beside the amount. */
function amount(
  { amount_minor, currency }: Pick<TransactionItem, 'amount_minor' | 'currency'>,
  headed: string | undefined,
): Html {
  if (headed === undefined) return money(amount_minor, currency);
  return html`<span class="unit">${currency} </span>${figure(amount_minor)}`;
}

const refundKinds = { pending: 'waiting', partial: 'info', refunded: 'info' } as const;

/** The status of an item, and of its refunds. A pending one in review says only that: nothing else is pending about it. */
export function statusBadges(
  {
    status,
    under_review,
    refund_status: refund,
  }: Pick<TransactionItem, 'status' | 'under_review' | 'refund_status'>,
  { common, list, refunds }: MerchantTexts,
): Html {
  const mark = statusMark(status, common.statuses[status]);
  const refundMark = refund && statusMark(refund, refunds.marks[refund], refundKinds[refund]);
  if (!under_review) return html`${mark}${refundMark}`;
  const review = statusMark('under_review', list.underReview);
  return status === 'pending' ? review : html`${mark}${review}${refundMark}`;
}

/** A row for each total: the amount below the amounts, and the items that it sums up in words. */
function foot({ items, totals, isOfPage, phones, onlyType }: Rows, { list }: MerchantTexts): Html {
  const headed = onlyCurrency(items);
  const others = 4 + (phones ? 1 : 0) + (onlyType === undefined ? 1 : 0);
  return html`${totals.map(
    (total) =>
      html`<tr role="row">
        <td role="cell" class="amount-cell">
          ${amount({ amount_minor: total.amountMinor, currency: total.currency }, headed)}
        </td>
        <th scope="row" role="rowheader" colspan="${others}">
          ${totalWords(total, list)}${isOfPage ? ` ${list.onThisPage}` : undefined}
        </th>
      </tr>`,
  )}`;
}

/** The items that a total sums up, with their number: `Completed collections (6)`. */
function totalWords({ type, status, count }: Total, { totals }: MerchantTexts['list']): string {
  return `${totals[type][status]} (${countText(count)})`;
}
