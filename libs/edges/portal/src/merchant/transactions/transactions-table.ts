import { failureOf } from '#shared/glossary';
import { html, type Html } from '#shared/html';
import { type TransactionItem } from '#views/transactions';
import { icon } from '../../page/icons.js';
import { figure, onlyCurrency, shortTime, type WallClock } from '../../page/list-parts.js';
import { money, statusMark } from '../../page/parts.js';
import { type MerchantTexts } from '../merchant-texts.js';
import { itemAddress, type Place } from '../place.js';
import { type Total } from './transactions-model.js';

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

/**
 * The rows of collections and payouts. On a phone each row is a card of two lines with the amount at the right. The
 * roles are explicit, because browsers take the meaning of a table away when its display changes.
 */
export function transactionsTable(rows: Rows, texts: MerchantTexts): Html {
  const { caption, items, totals, phones, onlyType } = rows;
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
          ${phones && head(common.customer, 'customer')}
          ${onlyType === undefined ? head(common.type, 'type') : undefined}
          ${head(texts.list.receiptOrReason, 'more')} ${head(common.created, 'when')}
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${items.map((item) => row(item, rows, texts))}
      </tbody>
      ${totals.length === 0 ? undefined : foot(rows, texts)}
    </table>
  </div>`;
}

function row(item: TransactionItem, rows: Rows, texts: MerchantTexts): Html {
  const { place, items, phones, clock, onlyType } = rows;
  return html`<tr role="row">
    <td role="cell" class="amount-cell">${amount(item, onlyCurrency(items))}</td>
    <td role="cell" class="status">${statusBadges(item, texts)}</td>
    <th scope="row" role="rowheader" class="ref">
      <a href="${itemAddress(place, item)}">${item.reference}</a>
    </th>
    ${phones && html`<td role="cell" class="customer">${phones.get(item.id)}</td>`}
    ${onlyType === undefined ? typeCell(item, texts) : undefined} ${moreCell(item, texts)}
    <td role="cell" class="when">${shortTime(item.created_at, clock)}</td>
  </tr>`;
}

const arrows = { collection: 'incoming', payout: 'payouts' } as const;

/** On a phone only the arrow is seen; the word stays for screen readers. */
function typeCell({ type }: TransactionItem, { common }: MerchantTexts): Html {
  return html`<td role="cell" class="type">
    ${icon(arrows[type])} <span>${common.types[type]}</span>
  </td>`;
}

/** The receipt, or the reason of a failure without its code. A phone shows only the reason. */
function moreCell(
  { receipt, failure_code: code, type }: TransactionItem,
  { language }: MerchantTexts,
): Html {
  if (receipt !== null || code === null)
    return html`<td role="cell" class="more">${receipt ?? undefined}</td>`;
  return html`<td role="cell" class="more reason">
    ${failureOf(code, type)?.reason[language] ?? code}
  </td>`;
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

/** A row for each total: the amount below the amounts, and the items that it sums up in words. */
function foot({ items, totals, isOfPage, phones, onlyType }: Rows, { list }: MerchantTexts): Html {
  const headed = onlyCurrency(items);
  const others = 4 + (phones ? 1 : 0) + (onlyType === undefined ? 1 : 0);
  return html`<tfoot role="rowgroup">
    ${totals.map(
      (total) =>
        html`<tr role="row">
          <td role="cell" class="amount-cell">
            ${amount({ amount_minor: total.amountMinor, currency: total.currency }, headed)}
          </td>
          <th scope="row" role="rowheader" colspan="${others}">
            ${totalWords(total, list)}${isOfPage ? ` ${list.onThisPage}` : undefined}
          </th>
        </tr>`,
    )}
  </tfoot>`;
}

/** The items that a total sums up, with their number: `Completed collections (6)`. */
function totalWords({ type, status, count }: Total, { totals }: MerchantTexts['list']): string {
  return `${totals[type][status]} (${count})`;
}
