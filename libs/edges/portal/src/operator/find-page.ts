import { type Mode } from '#domain/kernel';
import { html, type Html } from '#shared/html';
import { type FoundBy, type FoundStream, itemOf } from '#desk/operators';
import { emptyState, errorSummary, field, form, notice, table } from '../page/parts.js';
import { itemHref, type PageContext, merchantName, pageSize } from './page-context.js';

/** A wallet that has the account number. */
export interface FoundAccount {
  readonly accountNo: string;
  readonly merchantId: string;
  readonly mode: Mode;
  readonly name: string;
}

export interface FindPage {
  /** The word that was searched for, or undefined before a search. It is never a phone number. */
  readonly asked: string | undefined;
  readonly since: string;
  readonly streams: readonly (Omit<FoundStream, 'by'> & { readonly by: FoundBy | 'phone' })[];
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
    <h2>${words.log}</h2>
    ${form(viewer, {
      action: '/portal/find/history',
      submit: words.logButton,
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
    <h2>${words.phone}</h2>
    ${form(viewer, {
      action: '/portal/find/phone',
      submit: words.phoneButton,
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
    })}`;
}

function results({ streams, account }: FindPage, context: PageContext): Html {
  const { texts } = context;
  const { find: words } = texts;
  const shown = streams.slice(0, pageSize);
  const accounts = account ? [accountRow(account, texts)] : [];
  return html`<h2>${words.caption}</h2>
    ${table({
      caption: words.caption,
      head: [texts.reference, words.by, texts.type, texts.mode, texts.merchant],
      rows: [...accounts, ...shown.map((found) => row(found, context))],
      empty: emptyState(words.empty, words.emptyTodo),
    })}
    ${streams.length > shown.length ? notice('warning', words.more) : undefined}`;
}

function row({ stream, by }: FindPage['streams'][number], context: PageContext) {
  const { texts } = context;
  const item = itemOf(stream);
  const foundBy = texts.find.foundBy[by];
  if (!item) return [html`<code>${stream}</code>`, foundBy, '', '', ''];
  const { reference, mode, merchantId } = item.key;
  return [
    html`<a href="${itemHref(item)}">${reference}</a>`,
    foundBy,
    texts.types[item.type],
    texts.modes[mode],
    merchantName(merchantId, context),
  ];
}

function accountRow(
  { accountNo, merchantId, mode, name }: FoundAccount,
  texts: PageContext['texts'],
) {
  const href = `/portal/merchants/${encodeURIComponent(merchantId)}/${mode}`;
  return [
    html`<a href="${href}">${texts.find.account(accountNo)}</a>`,
    texts.find.foundBy.account,
    '',
    texts.modes[mode],
    html`${name} <small><code>${merchantId}</code></small>`,
  ];
}
