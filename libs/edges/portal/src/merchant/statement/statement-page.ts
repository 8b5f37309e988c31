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
}

/** The form that asks for the account, days and format of a statement. */
export function statementPage(
  { place, typed, problem }: StatementModel,
  { viewer, texts }: { readonly viewer: Viewer; readonly texts: MerchantTexts },
): Html {
  const { statement: words, common } = texts;
  if (place.accounts.length === 0)
    return emptyState(common.noAccounts.text, common.noAccounts.todo);
  const error = problem && words[problem];
  return html`${errorSummary(common.form.invalid, error === undefined ? [] : [{ field: 'from', text: error }])}
    <p>${words.intro}</p>
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
        field({
          name: 'from',
          label: common.from,
          type: 'date',
          isRequired: true,
          value: typed.from,
          error,
        }),
        field({
          name: 'to',
          label: common.to,
          type: 'date',
          isRequired: true,
          value: typed.to,
        }),
        field({
          name: 'format',
          label: words.format,
          value: typed.format,
          options: statementFormats.map((format) => [format, words.formats[format]]),
        }),
      ],
    })}
    <p>${common.zone(place.timezone)} ${words.position}</p>`;
}
