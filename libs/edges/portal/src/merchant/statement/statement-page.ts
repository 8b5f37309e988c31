import { daysBefore } from '#infra/runtime';
import { html, type Html } from '#shared/html';
import { type Viewer } from '../../access/viewer.js';
import { emptyState, errorSummary, field, form } from '../../page/parts.js';
import { type Place } from '../place.js';
import { type MerchantTexts } from '../merchant-texts.js';

export const statementFormats = ['csv', 'camt.053', 'pdf'] as const;
export type StatementFormat = (typeof statementFormats)[number];

export interface StatementModel {
  readonly place: Place;
  /** Values as typed, or likely ones. */
  readonly typed: Readonly<Record<'account' | 'from' | 'to' | 'format', string>>;
  readonly problem: 'wrongDays' | 'notBegun' | undefined;
  /** The day now, YYYY-MM-DD. */
  readonly today: string;
}

/** The form that asks for the account, days and format of a statement. */
export function statementPage(
  { place, typed, problem, today }: StatementModel,
  { viewer, texts }: { readonly viewer: Viewer; readonly texts: MerchantTexts },
): Html {
  const { statement: words, common } = texts;
  if (place.accounts.length === 0)
    return emptyState(common.noAccounts.text, common.noAccounts.todo, 'statements');
  const error = problem && words[problem];
  return html`${errorSummary(common.form.invalid, error === undefined ? [] : [{ field: 'from', text: error }])}
    <p class="soft">${words.intro}</p>
    ${presets({ place, typed, today }, words)}
    ${form(viewer, {
      action: `${place.base}/statement/file`,
      method: 'get',
      submit: words.get,
      fields: [
        field({
          name: 'account',
          label: common.account,
          value: typed.account,
          options: place.accounts.map(({ accountNo, currency }) => [
            accountNo,
            `${accountNo} (${currency})`,
          ]),
        }),
        html`<div class="span">
          ${day('from', common.from, typed.from, error)} ${day('to', common.to, typed.to)}
        </div>`,
        field({
          name: 'format',
          label: words.format,
          value: typed.format,
          options: statementFormats.map((format) => [format, words.formats[format]]),
        }),
      ],
    })}
    <p class="soft"><small>${common.zone(place.timezone)} ${words.position}</small></p>`;
}

function day(name: 'from' | 'to', label: string, value: string, error?: string): Html {
  return field({ name, label, type: 'date', isRequired: true, value, error });
}

/** Links to the form with the usual days. The other fields stay. */
function presets(
  { place, typed, today }: Omit<StatementModel, 'problem'>,
  { presets: words }: MerchantTexts['statement'],
): Html {
  const thisMonth = `${today.slice(0, 'YYYY-MM'.length)}-01`;
  const lastDay = daysBefore(thisMonth, 1);
  const yesterday = daysBefore(today, 1);
  const spans = [
    [words.month, thisMonth, today],
    [words.lastMonth, `${lastDay.slice(0, 'YYYY-MM'.length)}-01`, lastDay],
    [words.yesterday, yesterday, yesterday],
  ] as const;
  const { account, format } = typed;
  return html`<div class="chips">
    ${spans.map(([word, from, to]) => {
      const query = new URLSearchParams({ account, from, to, format }).toString();
      const isCurrent = from === typed.from && to === typed.to;
      return html`<a
        class="chip"
        href="${place.base}/statement?${query}"
        ${isCurrent ? html` aria-current="true"` : undefined}
        >${word}</a
      >`;
    })}
  </div>`;
}
