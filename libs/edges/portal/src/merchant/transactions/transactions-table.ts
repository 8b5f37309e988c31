import { failureOf } from '#shared/glossary';
import { html, type Html } from '#shared/html';
import { type TransactionItem } from '#views/transactions';
import { figure, onlyCurrency, shortTime, type WallClock } from '../../page/list-parts.js';
import { money, statusMark } from '../../page/parts.js';
import { type MerchantTexts } from '../merchant-texts.js';
import { itemAddress, type Place } from '../place.js';
import { type Total } from './transactions-model.js';

export interface Rows {
  readonly place: Place;
  readonly caption: string;
  readonly items: readonly TransactionItem[];
  readonly clock: WallClock;
  readonly totals: readonly Total[];
  /** True if the totals are of this page only. */
  readonly isOfPage: boolean;
}

/**
 * The rows of collections and payouts. On a phone each row is a card of two lines with the amount at the right. The
 * roles are explicit, because browsers take the meaning of a table away when its display changes.
 */
export function transactionsTable(rows: Rows, texts: MerchantTexts): Html {
  const { caption, items, totals } = rows;
  const { common } = texts;
  const currency = onlyCurrency(items);
  const head = (name: string, style: string): Html =>
    html`<th scope="col" role="columnheader" class="${style}">${name}</th>`;
  return html`<div class="scroll list" role="group" aria-label="${caption}" tabindex="0">
    <table role="table">
      <caption class="away">
        ${caption}
      </caption>
      <thead role="rowgroup">
        <tr role="row">
          ${head(currency === undefined ? common.amount : `${common.amount} (${currency})`, 'amount-cell')}
          ${head(common.status, 'status')} ${head(common.reference, 'ref')}
          ${head(common.type, 'type')} ${head(texts.list.receiptOrReason, 'more')}
          ${head(common.created, 'when')}
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${items.map((item) => row(item, rows, texts))}
      </tbody>
      ${totals.length === 0 ? undefined : foot(rows, texts)}
    </table>
  </div>`;
}

function row(item: TransactionItem, { place, items, clock }: Rows, texts: MerchantTexts): Html {
  const { common } = texts;
  return html`<tr role="row">
    <td role="cell" class="amount-cell">${amount(item, onlyCurrency(items))}</td>
    <td role="cell" class="status">${statusBadges(item, texts)}</td>
    <th scope="row" role="rowheader" class="ref">
      <a href="${itemAddress(place, item)}">${item.reference}</a>
    </th>
    <td role="cell" class="type">${common.types[item.type]}</td>
    <td role="cell" class="more">${item.receipt ?? reason(item, texts)}</td>
    <td role="cell" class="when">${shortTime(item.created_at, clock)}</td>
  </tr>`;
}

/** The reason of a failed item, without its code. */
function reason({ failure_code: code, type }: TransactionItem, { language }: MerchantTexts): Html {
  if (code === null) return html``;
  return html`<span class="soft">${failureOf(code, type)?.reason[language] ?? code}</span>`;
}

/** The head names a currency that all rows share; a card on a phone shows it beside the amount. */
function amount(
  { amount_minor, currency }: Pick<TransactionItem, 'amount_minor' | 'currency'>,
  headed: string | undefined,
): Html {
  if (headed === undefined) return money(amount_minor, currency);
  return html`<span class="unit">${currency} </span>${figure(amount_minor)}`;
}

/** The status of an item. A pending one in review says only that: nothing else is pending about it. */
export function statusBadges(
  { status, under_review }: Pick<TransactionItem, 'status' | 'under_review'>,
  { common, list }: MerchantTexts,
): Html {
  const mark = statusMark(status, common.statuses[status]);
  if (!under_review) return mark;
  const review = statusMark('under_review', list.underReview);
  return status === 'pending' ? review : html`${mark}${review}`;
}

function foot({ items, totals, isOfPage }: Rows, { list, common }: MerchantTexts): Html {
  const headed = onlyCurrency(items);
  return html`<tfoot role="rowgroup">
    ${totals.map(({ type, status, currency, count, amountMinor }) => {
      const of = status === 'needs_attention' ? list.tabs.needsAttention : common.statuses[status];
      const counted = `${common.types[type]}, ${of.toLowerCase()}: ${count}`;
      return html`<tr role="row">
        <td role="cell" class="amount-cell">
          ${amount({ amount_minor: amountMinor, currency }, headed)}
        </td>
        <th scope="row" role="rowheader" colspan="5">
          ${isOfPage ? list.totalOfPage : list.total} · ${counted}
        </th>
      </tr>`;
    })}
  </tfoot>`;
}
