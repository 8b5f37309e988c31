import { daysBefore } from '#infra/runtime';
import { html, type Html } from '#shared/html';
import { transactionStatuses } from '#views/transactions';
import { icon } from '../../page/icons.js';
import { shortDay } from '../../page/list-parts.js';
import { field, form, hidden } from '../../page/parts.js';
import { type MerchantTexts } from '../merchant-texts.js';
import { asOfText, type ListField, type ListQuery, searchOf } from './list-query.js';
import { saveView } from './save-view.js';
import {
  filtersSet,
  type Frame,
  listAddress,
  type TransactionsModel,
  withoutFilters,
} from './transactions-model.js';

interface Chip {
  readonly name: string;
  /** The value of a filter that is set. */
  readonly value: string | undefined;
  /** The parameters that its form sends; the others are kept. */
  readonly own: readonly ListField[];
  readonly fields: readonly Html[];
  readonly presets?: Html;
}

/**
 * The filters as chips, and the form that saves them. Each chip is a form of its own that keeps the other filters, so it
 * works without JavaScript.
 */
export function filterChips(model: TransactionsModel, frame: Frame): Html {
  const { place, read } = model;
  const { list, common } = frame.texts;
  const isSet = filtersSet(read.query).length > 0;
  const isWrong = read.wrong.length > 0;
  return html`<div class="filters" id="filters" role="group" aria-label="${list.filter}">
    <div class="chips">
      ${chipsOf(model, frame).map((of) => chip(of, model, frame))}
      ${isSet || isWrong ? html`<a href="${listAddress(place, withoutFilters(read.query))}">${list.clear}</a>` : undefined}
      ${isSet ? saveView(model, frame) : undefined}
    </div>
    <span class="away">${common.zone(place.timezone)}</span>
  </div>`;
}

function chipsOf(model: TransactionsModel, frame: Frame): readonly Chip[] {
  const { place, read } = model;
  const hasAccounts = place.accounts.length > 1 || read.typed.account !== undefined;
  return [
    statusChip(model, frame),
    dateChip(model, frame),
    ...(hasAccounts ? [accountChip(model, frame)] : []),
    moreChip(model, frame),
  ];
}

function chip(
  { name, value, own, fields, presets }: Chip,
  { place, read }: TransactionsModel,
  { viewer, texts }: Frame,
): Html {
  const kept = [...parametersOf(read.query)].filter(
    ([field]) => !own.some((mine) => mine === field),
  );
  const cleared = new URLSearchParams(kept).toString();
  const action = `${place.base}/transactions`;
  const isOpen = own.some((mine) => read.wrong.includes(mine));
  return html`<span class="chip-set"
    ><details
      class="chip${value === undefined ? '' : ' is-set'}"
      ${isOpen ? html` open` : undefined}
    >
      <summary>${name}${value === undefined ? undefined : `: ${value}`} ${icon('down')}</summary>
      <div>
        ${presets}
        ${form(viewer, {
          action,
          method: 'get',
          submit: texts.common.show,
          fields: [...kept.map(([field, text]) => hidden(field, text)), ...fields],
        })}
      </div>
    </details>
    ${
      value === undefined
        ? undefined
        : html`<a class="clear" href="${action}${cleared === '' ? '' : `?${cleared}`}"
            >${icon('close')}<span class="away">${texts.list.clearOne(name)}</span></a
          >`
    }</span
  >`;
}

/** The parameters of the query, without the place in the list. */
function parametersOf({ before: _before, ...query }: ListQuery): URLSearchParams {
  return new URLSearchParams(searchOf(query));
}

/** The error of a field, if the query has one. */
function wrongOf({ read }: TransactionsModel, { texts }: Frame) {
  return (name: ListField): string | undefined =>
    read.wrong.includes(name) ? texts.list.wrong[name] : undefined;
}

function statusChip(model: TransactionsModel, frame: Frame): Chip {
  const { common } = frame.texts;
  const { status } = model.read.query;
  return {
    name: common.status,
    value: status && common.statuses[status],
    own: ['status'],
    fields: [
      field({
        name: 'status',
        label: common.status,
        value: model.read.typed.status ?? '',
        error: wrongOf(model, frame)('status'),
        options: [
          ['', common.any],
          ...transactionStatuses.map((each) => [each, common.statuses[each]] as const),
        ],
      }),
    ],
  };
}

function dateChip(model: TransactionsModel, frame: Frame): Chip {
  const { read, clock } = model;
  const { common, list } = frame.texts;
  const wrong = wrongOf(model, frame);
  const { from, to, dateField } = read.query;
  const day = (name: 'from' | 'to', label: string): Html =>
    field({ name, label, type: 'date', value: read.typed[name], error: wrong(name) });
  const said = (of: string | undefined): string => (of === undefined ? '…' : shortDay(of, clock));
  const days = from === to && from !== undefined ? said(from) : `${said(from)} – ${said(to)}`;
  const hasDays = from !== undefined || to !== undefined;
  return {
    name: hasDays ? list.dateFields[dateField] : list.dateField,
    value: hasDays ? days : undefined,
    own: ['date_field', 'from', 'to'],
    presets: presets(model, frame.texts),
    fields: [
      field({
        name: 'date_field',
        label: list.dateField,
        options: Object.entries(list.dateFields),
        value: read.typed.date_field ?? 'created_at',
        error: wrong('date_field'),
      }),
      day('from', common.from),
      day('to', common.to),
    ],
  };
}

function accountChip(model: TransactionsModel, frame: Frame): Chip {
  const { common } = frame.texts;
  const { read, place } = model;
  return {
    name: common.account,
    value: read.query.account,
    own: ['account'],
    fields: [
      field({
        name: 'account',
        label: common.account,
        value: read.typed.account ?? '',
        error: wrongOf(model, frame)('account'),
        options: [
          ['', common.any],
          ...place.accounts.map(
            ({ accountNo, currency }) => [accountNo, `${accountNo} (${currency})`] as const,
          ),
        ],
      }),
    ],
  };
}

/** Links to the usual days, one click each. */
function presets({ place, read, clock }: TransactionsModel, { list }: MerchantTexts): Html {
  const { today } = clock;
  const yesterday = daysBefore(today, 1);
  const spans = [
    [list.presets.today, today, today],
    [list.presets.yesterday, yesterday, yesterday],
    [list.presets.week, daysBefore(today, 6), today],
    [list.presets.month, `${today.slice(0, 8)}01`, today],
  ] as const;
  const { before: _before, ...query } = read.query;
  return html`<ul class="presets">
    ${spans.map(
      ([word, from, to]) =>
        html`<li><a href="${listAddress(place, { ...query, from, to })}">${word}</a></li>`,
    )}
  </ul>`;
}

function moreChip(model: TransactionsModel, frame: Frame): Chip {
  const { list } = frame.texts;
  const { typed, query } = model.read;
  const wrong = wrongOf(model, frame);
  const set = [
    query.batch === undefined ? [] : [`${list.batch} ${query.batch}`],
    query.at === undefined ? [] : [`${list.at} ${asOfText(query.at)}`],
  ].flat();
  return {
    name: list.more,
    value: set.length === 0 ? undefined : set.join(', '),
    own: ['batch', 'at'],
    fields: [
      field({ name: 'batch', label: list.batch, value: typed.batch, error: wrong('batch') }),
      field({
        name: 'at',
        label: list.at,
        hint: list.atHint,
        value: typed.at,
        error: wrong('at'),
      }),
    ],
  };
}
