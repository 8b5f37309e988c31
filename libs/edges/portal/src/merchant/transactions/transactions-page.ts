import { html, type Html } from '#shared/html';
import { type Balance } from '#views/balances';
import {
  type ListedTransactions,
  type TransactionItem,
  transactionStatuses,
  transactionTypes,
} from '#views/transactions';
import { type Viewer } from '../../access/viewer.js';
import {
  emptyState,
  errorSummary,
  field,
  form,
  hidden,
  money,
  nextPage,
  notice,
  statusMark,
  table,
  time,
} from '../../page/parts.js';
import { itemAddress, type Place } from '../place.js';
import { type SavedView } from '#records/people';
import { type MerchantTexts } from '../merchant-texts.js';
import { findForm } from './found-page.js';
import { feeOf } from './item-page.js';
import { asOfText, type ListField, type ReadQuery, searchOf } from './list-query.js';

export interface TransactionsModel {
  readonly place: Place;
  readonly read: ReadQuery;
  /** Undefined if the query is wrong, or the view cannot answer. */
  readonly shown:
    { readonly list: ListedTransactions; readonly balances: readonly Balance[] } | undefined;
  readonly views: readonly SavedView[];
}

type Frame = { readonly viewer: Viewer; readonly texts: MerchantTexts };

/** The list with its filters, the viewer's saved views, and the accounts' balances at the list's own position. */
export function transactionsPage(model: TransactionsModel, { viewer, texts }: Frame): Html {
  const { place, read, shown } = model;
  const wrong = read.wrong.map((name) => ({ field: name, text: texts.list.wrong[name] }));
  return html`${errorSummary(texts.common.form.invalid, wrong)}
  ${shown && balanceTable(shown.balances, texts)} ${findForm(place, '', { viewer, texts })}
  ${savedViews(model, { viewer, texts })} ${filters(model, { viewer, texts })}
  ${shown ? listed(shown.list, { place, read, texts }) : wrong.length > 0 ? undefined : notice('warning', texts.common.unavailable)}`;
}

function filters({ place, read }: TransactionsModel, { viewer, texts }: Frame): Html {
  const { common, list } = texts;
  const choice = (name: ListField, label: string, words: readonly (readonly [string, string])[]) =>
    field({ name, label, options: words, value: read.typed[name] ?? '', error: wrong(name) });
  const wrong = (name: ListField): string | undefined =>
    read.wrong.includes(name) ? list.wrong[name] : undefined;
  const day = (name: 'from' | 'to', label: string) =>
    field({ name, label, type: 'date', value: read.typed[name], error: wrong(name) });
  return html`<section aria-labelledby="filter">
    <h2 id="filter">${list.filter}</h2>
    ${form(viewer, {
      action: `${place.base}/transactions`,
      method: 'get',
      isRow: true,
      submit: common.show,
      fields: [
        choice('type', common.type, [
          ['', common.any],
          ...transactionTypes.map((type) => [type, common.types[type]] as const),
        ]),
        choice('status', common.status, [
          ['', common.any],
          ...transactionStatuses.map((status) => [status, common.statuses[status]] as const),
        ]),
        day('from', common.from),
        day('to', common.to),
        choice('date_field', list.dateField, Object.entries(list.dateFields)),
        field({ name: 'batch', label: list.batch, value: read.typed.batch, error: wrong('batch') }),
        field({
          name: 'at',
          label: list.at,
          hint: list.atHint,
          value: read.typed.at,
          error: wrong('at'),
        }),
      ],
    })}
    <p>${common.zone(place.timezone)} <a href="${place.base}/transactions">${list.clear}</a></p>
  </section>`;
}

function savedViews({ place, read, views }: TransactionsModel, { viewer, texts }: Frame): Html {
  const words = texts.list.views;
  const { before: _before, ...query } = read.query;
  const address = `${place.base}/transactions`;
  const links = views.map(
    ({ name, query: search }) =>
      html`<li>
        <a href="${address}?${search}">${name}</a>
        ${form(viewer, {
          action: `${address}/views/drop`,
          submit: words.drop(name),
          fields: [hidden('name', name)],
        })}
      </li>`,
  );
  return html`<details>
    <summary>${words.title} (${views.length})</summary>
    ${
      views.length === 0
        ? html`<p>${words.empty}</p>`
        : html`<ul>
            ${links}
          </ul>`
    }
    ${form(viewer, {
      action: `${address}/views`,
      isRow: true,
      submit: words.keep,
      fields: [
        field({ name: 'name', label: words.name, isRequired: true, maxLength: maxNameLength }),
        hidden('query', searchOf(query)),
      ],
    })}
  </details>`;
}

/** Most characters of a saved view's name. */
export const maxNameLength = 60;

function listed(
  { items, next, position, asOf }: ListedTransactions,
  { place, read, texts }: Pick<TransactionsModel, 'place' | 'read'> & Pick<Frame, 'texts'>,
): Html {
  const { common } = texts;
  const more =
    next === undefined
      ? undefined
      : `${place.base}/transactions?${searchOf({ ...read.query, before: next })}`;
  const { before: _before, ...first } = read.query;
  const isPast = read.query.at !== undefined;
  return html`${table({
      caption: texts.list.caption,
      head: [
        ...[common.reference, common.status],
        ...[
          { text: common.amount, isNumber: true } as const,
          { text: common.fee, isNumber: true } as const,
        ],
        ...[common.type, common.receipt, common.created, common.paid],
      ],
      rows: items.map((item) => row(item, place, texts)),
      empty: emptyState(texts.list.empty.text, texts.list.empty.todo),
    })}
    ${isPast && next !== undefined && items.length === 0 ? html`<p>${texts.list.fewer}</p>` : undefined}
    ${nextPage(more, common.next)}
    ${read.query.before === undefined ? undefined : html`<p><a href="${place.base}/transactions?${searchOf(first)}">${common.newest}</a></p>`}
    <p>
      ${common.asOf(position.toString())}${read.query.at ? html` (${asOfText(read.query.at)})` : html`: ${time(asOf, place.timezone)}`}
    </p>`;
}

function row(item: TransactionItem, place: Place, { common, list }: MerchantTexts) {
  const { type, status, reference, currency } = item;
  const mark = statusMark(status, common.statuses[status]);
  return [
    html`<a href="${itemAddress(place, item)}">${reference}</a>`,
    item.under_review ? html`${mark} ${statusMark('under_review', list.underReview)}` : mark,
    money(item.amount_minor, currency),
    feeOf(item),
    common.types[type],
    item.receipt ?? '',
    time(item.created_at, place.timezone),
    item.paid_at === null ? '' : time(item.paid_at, place.timezone),
  ];
}

/** A table of the accounts' balances. */
export function balanceTable(balances: readonly Balance[], { common, list }: MerchantTexts): Html {
  const amount = (text: string) => ({ text, isNumber: true }) as const;
  return table({
    caption: list.balances,
    head: [common.account, amount(list.posted), amount(list.reserved), amount(list.available)],
    rows: balances.map((of) => [
      of.accountNo,
      money(of.postedMinor, of.currency),
      money(of.reservedMinor, of.currency),
      money(of.availableMinor, of.currency),
    ]),
    empty: emptyState(common.noAccounts.text, common.noAccounts.todo),
  });
}
