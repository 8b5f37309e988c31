import { modes } from '#domain/kernel';
import { html, type Html } from '#shared/html';
import { type MerchantProfile } from '#views/merchants';
import { merchantAddress } from '../page/navigation.js';
import { emptyState, field, form, nextPage, shortId, table } from '../page/parts.js';
import { type PageContext, pageSize } from './page-context.js';

export interface MerchantsPage {
  /** The text that was searched for; empty for all merchants. */
  readonly text: string;
  /** One more than a page if there are further ones. */
  readonly merchants: readonly MerchantProfile[];
}

/** The directory of merchants: each with its accounts and the way to its pages. */
export function merchantsPage({ text, merchants }: MerchantsPage, context: PageContext): Html {
  const { merchants: words } = context.texts;
  const shown = merchants.slice(0, pageSize);
  const last = merchants.length > pageSize && text === '' ? shown.at(-1) : undefined;
  return html`${searchForm(text, context)}
  ${text === '' ? undefined : html`<p><a href="/portal/merchants">${words.all}</a></p>`}
  ${table({
    caption: words.caption,
    head: [words.name, words.id, words.accounts, words.country, words.zone, words.openIn],
    rows: shown.map((merchant) => row(merchant, context)),
    empty: emptyState(words.empty, words.emptyTodo),
  })}
  ${nextPage(last && `/portal/merchants?${new URLSearchParams({ after: last.merchantId }).toString()}`, words.next)}`;
}

function searchForm(text: string, { texts, viewer }: PageContext): Html {
  const { merchants: words } = texts;
  return form(viewer, {
    action: '/portal/merchants',
    isRow: true,
    submit: words.button,
    fields: [
      field({
        name: 'text',
        label: words.label,
        type: 'search',
        value: text,
        maxLength: 100,
        autocomplete: 'off',
      }),
    ],
  });
}

function row(
  { merchantId, name, timezone, country, accounts }: MerchantProfile,
  { texts }: PageContext,
) {
  const own = modes.filter((of) => accounts.some((account) => account.mode === of));
  const [mode = 'live'] = own;
  const links = own.map(
    (of) =>
      html`<a class="button secondary" href="${merchantAddress({ merchantId, mode: of })}/home"
        >${texts.modes[of]}<span class="away"> ${name}</span></a
      > `,
  );
  return [
    html`<a href="${merchantAddress({ merchantId, mode })}/home">${name}</a>`,
    shortId(merchantId),
    html`${accounts.map(({ accountNo, currency, mode: of }) => html`<div>${accountNo} ${currency} <small>${texts.modes[of]}</small></div>`)}`,
    country,
    timezone,
    html`<div class="buttons">${links}</div>`,
  ];
}
