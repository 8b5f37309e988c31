import { html, type Html } from '#shared/html';
import { type Balance } from '#views/balances';
import { type ListedTransactions } from '#views/transactions';
import { shortTime } from '../../page/list-parts.js';
import { errorSummary, money, nextPage, notice } from '../../page/parts.js';
import { type MerchantTexts } from '../merchant-texts.js';
import { notOpened } from '../not-opened.js';
import { emptyList } from './empty-list.js';
import { exportProgress } from './export-link.js';
import { filterChips } from './filter-chips.js';
import { asOfText, type ListField } from './list-query.js';
import { listTabs } from './list-tabs.js';
import { type Frame, listAddress, totalsOf, type TransactionsModel } from './transactions-model.js';
import { transactionsTable } from './transactions-table.js';

/** The fields of the address that no form field has, and the part of the page that shows them. */
const shownAt: Partial<Readonly<Record<ListField, string>>> = {
  type: 'type',
  attention: 'type',
  cursor: 'filters',
};

/** The list with its tabs and filters below the accounts' balances, both at one position. */
export function transactionsPage(model: TransactionsModel, frame: Frame): Html {
  const { place, read, shown } = model;
  const { texts } = frame;
  if (place.accounts.length === 0) return notOpened(place, texts);
  const wrong = read.wrong.map((name) => ({
    field: shownAt[name] ?? name,
    text: texts.list.wrong[name],
  }));
  return html`${errorSummary(texts.common.form.invalid, wrong)}
  ${shown?.rows === undefined ? undefined : exportProgress(texts)}
  ${shown && balanceLine(shown.balances, texts)} ${listTabs(model, frame)}
  ${filterChips(model, frame)}
  ${shown ? listed(shown.list, model, texts) : wrong.length > 0 ? undefined : notice('warning', texts.common.unavailable)}`;
}

/** One line for each account: what can be paid out large, and the rest small. */
function balanceLine(balances: readonly Balance[], { list }: MerchantTexts): Html {
  return html`<ul class="balances" aria-label="${list.balances}">
    ${balances.map(
      ({ accountNo, currency, availableMinor, postedMinor, reservedMinor }) =>
        html`<li>
          <p class="label">
            ${list.available}${balances.length === 1 ? undefined : html` · ${accountNo}`}
          </p>
          <p class="value">${money(availableMinor, currency)}</p>
          <p class="rest">
            <span>${list.posted} ${money(postedMinor, currency)}</span>
            <span>${list.reserved} ${money(reservedMinor, currency)}</span>
          </p>
        </li>`,
    )}
  </ul>`;
}

function listed(list: ListedTransactions, model: TransactionsModel, texts: MerchantTexts): Html {
  const { place, read, clock, shown } = model;
  const total = shown?.totals;
  const { common, list: words } = texts;
  const { items, next, position, asOf } = list;
  const { before, ...first } = read.query;
  const isWhole = before === undefined && next === undefined;
  const isPast = read.query.at !== undefined;
  const table = {
    place,
    caption: words.caption,
    items,
    phones: list.phones,
    onlyType: read.query.type,
    clock,
    totals: total ?? totalsOf(items, read.query),
    isOfPage: total === undefined && !isWhole,
  };
  return html`${items.length === 0 ? emptyList(model, texts) : transactionsTable(table, texts)}
    ${isPast && next !== undefined && items.length === 0 ? html`<p>${words.fewer}</p>` : undefined}
    ${nextPage(next === undefined ? undefined : listAddress(place, { ...read.query, before: next }), common.next)}
    ${before === undefined ? undefined : html`<p><a href="${listAddress(place, first)}">${common.newest}</a></p>`}
    <div class="after">
      <p>
        ${common.asOf(position.toString())}${read.query.at ? html` (${asOfText(read.query.at)})` : html`, ${shortTime(asOf, clock)}`}
      </p>
      <p>${common.zone(place.timezone)}</p>
    </div>`;
}
