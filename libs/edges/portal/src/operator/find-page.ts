import { type Mode, modes } from '#domain/kernel';
import { html, type Html } from '#shared/html';
import { type FoundBy, type FoundStream, itemOf } from '#desk/operators';
import { merchantAddress } from '../page/navigation.js';
import { type ItemSummary } from '#views/transactions';
import {
  emptyState,
  errorSummary,
  field,
  form,
  money,
  notice,
  shortId,
  statusMark,
  table,
} from '../page/parts.js';
import {
  itemHref,
  merchantName,
  modeMark,
  type PageContext,
  pageSize,
  when,
} from './page-context.js';

/** A wallet that has the account number. */
export interface FoundAccount {
  readonly accountNo: string;
  readonly merchantId: string;
  readonly mode: Mode;
  readonly name: string;
}

export interface FindPage {
  /** The facts of the found items, by stream. */
  readonly summaries?: ReadonlyMap<string, ItemSummary>;
  /** True if the history was searched. */
  readonly isHistory?: boolean;
  /** The word that was searched for, or undefined before a search. It is never a phone number. */
  readonly asked: string | undefined;
  readonly since: string;
  readonly streams: readonly (Omit<FoundStream, 'by'> & { readonly by: FoundBy | 'phone' })[];
  readonly merchants: readonly { readonly merchantId: string; readonly name: string }[];
  readonly account: FoundAccount | undefined;
  /** True if the search ended before the end of the history. */
  readonly gaveUp: boolean;
  readonly wrongPhone: boolean;
  readonly wasSearched: boolean;
  /** True if another search was reading the history, so this one was not made. */
  readonly isBusy: boolean;
}

/** The page with the search form and its results. */
export function findPage(page: FindPage, context: PageContext): Html {
  const { texts, viewer } = context;
  const { find: words } = texts;
  const isWithout = page.wasSearched && isEmpty(page);
  const wrong = page.wrongPhone ? [{ field: 'phone', text: words.phoneWrong }] : [];
  return html`${errorSummary(texts.problem, wrong)}
    ${form(viewer, {
      action: '/portal/find',
      submit: words.button,
      isRow: true,
      fields: [
        field({
          name: 'q',
          label: words.label,
          hint: words.hint,
          type: 'search',
          value: page.asked,
          isRequired: true,
          maxLength: 100,
          autocomplete: 'off',
        }),
      ],
    })}
    ${page.isBusy ? notice('warning', words.busy) : undefined}
    ${page.wasSearched && !page.isBusy ? results(page, context) : undefined}
    ${page.gaveUp ? notice('warning', words.gaveUp) : undefined}
    <details ${page.isBusy || page.gaveUp || isWithout ? html` open` : undefined}>
      <summary>${words.log}</summary>
      ${form(viewer, {
        action: '/portal/find/history',
        submit: words.logButton,
        look: 'secondary',
        fields: [
          field({
            name: 'code',
            label: words.logLabel,
            value: page.asked,
            isRequired: true,
            maxLength: 100,
            autocomplete: 'off',
          }),
          field({ name: 'since', label: words.logSince, type: 'date', value: page.since }),
        ],
      })}
    </details>
    <details ${page.wrongPhone ? html` open` : undefined}>
      <summary>${words.phone}</summary>
      ${form(viewer, {
        action: '/portal/find/phone',
        submit: words.phoneButton,
        look: 'secondary',
        fields: [
          field({
            name: 'phone',
            label: words.phoneLabel,
            hint: words.phoneHint,
            error: wrong[0]?.text,
            isRequired: true,
            maxLength: 20,
            autocomplete: 'off',
          }),
        ],
      })}
    </details>`;
}

/** The results by what they are. A group without results is left out. */
function results(page: FindPage, context: PageContext): Html {
  const { streams, merchants, account, summaries, since, isHistory } = page;
  const { texts } = context;
  const { find: words } = texts;
  const created = ({ stream }: FindPage['streams'][number]): number =>
    summaries?.get(stream)?.createdAt.getTime() ?? 0;
  const shown = streams.toSorted((one, other) => created(other) - created(one)).slice(0, pageSize);
  if (isEmpty({ streams, merchants, account }))
    return isHistory === true
      ? emptyState(words.emptyHistory(since), words.emptyHistoryTodo)
      : emptyState(words.empty, words.emptyTodo);
  return html`${table({
    caption: words.payments,
    head: [
      { text: texts.amount, isNumber: true },
      texts.status,
      texts.reference,
      texts.type,
      texts.merchant,
      texts.mode,
      words.created,
      words.by,
    ],
    rows: shown.map((found) => row(found, summaries?.get(found.stream), context)),
    empty: html``,
  })}
  ${streams.length > shown.length ? notice('warning', words.more) : undefined}
  ${table({
    caption: texts.merchants.caption,
    head: [texts.merchant, ...modes.map((mode) => texts.modes[mode])],
    rows: merchants.map(({ merchantId, name }) => [
      html`${name} ${shortId(merchantId)}`,
      ...modes.map(
        (mode) =>
          html`<a href="${merchantAddress({ merchantId, mode }, '')}"
            >${texts.merchants.open(texts.modes[mode])}</a
          >`,
      ),
    ]),
    empty: html``,
  })}
  ${table({
    caption: words.accounts,
    head: [texts.item.account, texts.mode, texts.merchant],
    rows: account ? [accountRow(account, context)] : [],
    empty: html``,
  })}`;
}

function row(
  { stream, by }: FindPage['streams'][number],
  summary: ItemSummary | undefined,
  context: PageContext,
) {
  const { texts } = context;
  const item = itemOf(stream);
  const foundBy = texts.find.foundBy[by];
  if (!item) return ['', '', html`<code>${stream}</code>`, '', '', '', '', foundBy];
  const { reference, mode, merchantId } = item.key;
  const link = html`<a href="${itemHref(item)}">${reference}</a>`;
  return [
    summary ? money(summary.amountMinor, summary.currency) : '',
    summary ? statusOf(summary, context) : '',
    link,
    texts.types[item.type],
    merchantName(merchantId, context),
    modeMark(mode, context),
    summary ? when(summary.createdAt, context) : '',
    foundBy,
  ];
}

/** The status of an item. One in review says only that. */
function statusOf({ status, underReview }: ItemSummary, { texts }: PageContext): Html {
  return underReview
    ? statusMark('under_review', texts.item.underReview)
    : statusMark(status, texts.statuses[status]);
}

function isEmpty({
  streams,
  merchants,
  account,
}: Pick<FindPage, 'streams' | 'merchants' | 'account'>): boolean {
  return streams.length === 0 && merchants.length === 0 && !account;
}

function accountRow({ accountNo, merchantId, mode, name }: FoundAccount, { texts }: PageContext) {
  return [
    html`<a href="${merchantAddress({ merchantId, mode }, '')}">${accountNo}</a>`,
    texts.modes[mode],
    html`${name} ${shortId(merchantId)}`,
  ];
}
