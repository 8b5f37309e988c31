import { type Mode, modes } from '#domain/kernel';
import { html, type Html } from '#shared/html';
import { type Balance } from '#views/balances';
import { type MerchantProfile } from '#views/merchants';
import {
  definitions,
  emptyState,
  errorSummary,
  field,
  form,
  hidden,
  money,
  notice,
  shortId,
  table,
} from '../page/parts.js';
import { entriesIn, entryId, entryName, type TypedEntry } from './correction-form.js';
import { type FormErrors } from './decision-form.js';
import { accountWord } from './entries.js';
import { modeMark, type PageContext, pageSize } from './page-context.js';
import { reasonField } from './reason-field.js';

/** The first page of a correction: the merchant by its name, and the mode. */
export function chooseMerchantPage(
  { text, merchants }: { readonly text: string; readonly merchants: readonly MerchantProfile[] },
  { texts, viewer }: PageContext,
): Html {
  const { corrections: words, merchants: names } = texts;
  return html`<p>${words.chooseMerchant}</p>
    ${form(viewer, {
      action: '/portal/corrections/new',
      isRow: true,
      submit: names.button,
      look: 'secondary',
      fields: [
        field({
          name: 'text',
          label: names.label,
          type: 'search',
          value: text,
          maxLength: 100,
          autocomplete: 'off',
        }),
      ],
    })}
    ${table({
      caption: names.caption,
      head: [names.name, texts.reviews.merchantId, words.chooseMode],
      rows: merchants
        .slice(0, pageSize)
        .map((merchant) => [
          merchant.name,
          shortId(merchant.merchantId),
          html`<div class="buttons">
            ${modesOf(merchant).map(
              (mode) =>
                html`<a class="button secondary" href="${formAddress(merchant.merchantId, mode)}"
                  >${texts.modes[mode]}<span class="away"> ${merchant.name}</span></a
                >`,
            )}
          </div>`,
        ]),
      empty: emptyState(names.empty, names.emptyTodo),
    })}
    ${merchants.length > pageSize ? notice('info', texts.find.more) : undefined}`;
}

/** The modes in which the merchant has an account, and so a wallet to correct. */
function modesOf({ accounts }: MerchantProfile): readonly Mode[] {
  return modes.filter((mode) => accounts.some((account) => account.mode === mode));
}

function formAddress(merchantId: string, mode: Mode): string {
  const query = new URLSearchParams({ correction_merchant: merchantId, correction_mode: mode });
  return `/portal/corrections/new?${query.toString()}`;
}

export interface NewCorrection {
  /** The id under which the form proposes the correction, so that sending it twice is safe. */
  readonly id: string;
  readonly merchant: MerchantProfile;
  readonly mode: Mode;
  /** The balances of the merchant's accounts in the mode; undefined if they cannot be read at the moment. */
  readonly balances: readonly Balance[] | undefined;
  /** The ledger's accounts other than the merchant's wallets. */
  readonly otherAccounts: readonly string[];
  /** Values of the form: as typed, or as a link fills them in. */
  readonly values: URLSearchParams;
  readonly refused?: FormErrors | undefined;
}

/** The form of a correction of one merchant's ledger in one mode. */
export function newCorrectionPage(page: NewCorrection, context: PageContext): Html {
  const { id, merchant, mode, values, refused } = page;
  const { texts, viewer } = context;
  const { corrections: words, fields } = texts;
  const own = (name: string) => ({
    name: `correction_${name}`,
    error: errorOf(`correction_${name}`, refused),
    value: values.get(`correction_${name}`) ?? undefined,
    autocomplete: 'off',
  });
  return html`${refused?.summary === undefined ? undefined : notice('error', refused.summary)}
  ${refused && errorSummary(texts.problem, refused.fields)}
  ${definitions([
    [
      texts.merchant,
      html`${merchant.name} ${shortId(merchant.merchantId)} ${modeMark(mode, context)}
        <a href="/portal/corrections/new">${words.otherMerchant}</a>`,
    ],
  ])}
  ${balancesTable(page, context)}
  ${form(viewer, {
    action: '/portal/corrections',
    submit: words.continue,
    fields: [
      hidden('id', id),
      hidden('correction_merchant', merchant.merchantId),
      hidden('correction_mode', mode),
      currencyField(page, own('currency'), context),
      entriesField(page, context),
      reasonField(own('reason'), texts),
      field({
        ...own('corrects'),
        label: words.corrects,
        hint: words.correctsHint,
        maxLength: 200,
      }),
      field({
        ...own('receipt'),
        label: fields.receipt,
        hint: fields.receiptHint,
        maxLength: 40,
        width: 'medium',
      }),
      field({ ...own('may_overdraw'), label: words.mayOverdraw, type: 'checkbox' }),
    ],
  })}`;
}

/** The balances of the accounts, so that the effect of an entry can be seen before it is proposed. */
function balancesTable({ balances, merchant }: NewCorrection, { texts }: PageContext): Html {
  const { corrections: words } = texts;
  if (!balances) return notice('info', words.balancesUnknown);
  return table({
    caption: words.balances,
    head: [
      texts.item.account,
      texts.merchant,
      { text: texts.item.posted, isNumber: true },
      { text: words.available, isNumber: true },
    ],
    rows: balances.map(({ accountNo, currency, postedMinor, availableMinor }) => [
      accountNo,
      merchant.name,
      money(postedMinor, currency),
      money(availableMinor, currency),
    ]),
    empty: html``,
  });
}

function errorOf(id: string, refused: FormErrors | undefined): string | undefined {
  return refused?.fields.find(({ field: of }) => of === id)?.text;
}

/** The currencies of the merchant's accounts. One currency is no choice. */
function currencyField(
  { merchant, mode }: NewCorrection,
  own: Omit<Parameters<typeof field>[0], 'label'>,
  { texts: { corrections: words } }: PageContext,
): Html {
  const accounts = merchant.accounts.filter((account) => account.mode === mode);
  const currencies = [...new Set(accounts.map(({ currency }) => currency))];
  const [only] = currencies;
  if (currencies.length === 1 && only !== undefined) return hidden(own.name, only);
  const options = [['', words.chooseCurrency], ...currencies.map((each) => [each, each])] as const;
  return field({
    ...own,
    label: words.currency,
    options: options.map(([value = '', word = '']) => [value, word] as const),
    isRequired: true,
  });
}

function entriesField(page: NewCorrection, context: PageContext): Html {
  const { corrections: words } = context.texts;
  const entries = entriesIn(page.values);
  return html`<fieldset class="entries">
    <legend>${words.legs}</legend>
    <p class="hint">${words.entriesHint}</p>
    <div class="entry heads" aria-hidden="true">
      <span>${context.texts.item.account}</span><span>${words.debit}</span
      ><span>${words.credit}</span>
    </div>
    ${entries.map((entry, row) => entryRow(entry, row, page, context))}
  </fieldset>`;
}

function entryRow(entry: TypedEntry, row: number, page: NewCorrection, context: PageContext): Html {
  const { texts } = context;
  const { corrections: words } = texts;
  const number = (row + 1).toString();
  const error = (['account', 'debit', 'credit'] as const).flatMap((name) => {
    const text = errorOf(entryId(name, row), page.refused);
    return text === undefined ? [] : [{ id: entryId(name, row), text }];
  });
  const invalid = (id: string) =>
    error.some((each) => each.id === id)
      ? html` aria-invalid="true" aria-describedby="${id}-error"`
      : undefined;
  const amount = (name: 'debit' | 'credit', label: string): Html => {
    const id = entryId(name, row);
    return html`<label
      ><span class="word">${label}</span><span class="away"> ${number}</span>
      <input
        id="${id}"
        name="${entryName(name)}"
        value="${entry[name]}"
        inputmode="decimal"
        maxlength="18"
        autocomplete="off"
        ${invalid(id)}
    /></label>`;
  };
  const id = entryId('account', row);
  return html`<div class="entry">
      <label
        ><span class="word">${texts.item.account}</span><span class="away"> ${number}</span>
        <select id="${id}" name="${entryName('account')}" ${invalid(id)}>
          ${accountOptions(entry.account, page, context)}
        </select></label
      >
      ${amount('debit', words.debit)} ${amount('credit', words.credit)}
    </div>
    ${error.map((each) => html`<p class="wrong" id="${each.id}-error">${each.text}</p>`)}`;
}

/** The merchant's wallets, the platform's accounts, and an account that a link names and this list lacks. */
function accountOptions(
  chosen: string,
  { merchant, mode, otherAccounts }: NewCorrection,
  { texts }: PageContext,
): readonly Html[] {
  const { corrections: words } = texts;
  const wallets = merchant.accounts
    .filter((account) => account.mode === mode)
    .map(({ accountNo }) => `wallet:${accountNo}`);
  const known = [...new Set([...wallets, ...otherAccounts, ...(chosen === '' ? [] : [chosen])])];
  const option = (value: string, word: string) =>
    html`<option value="${value}" ${value === chosen ? html` selected` : undefined}>
      ${word}
    </option>`;
  return [
    option('', words.chooseAccount),
    ...known.map((account) => option(account, accountWord(account, texts))),
  ];
}
