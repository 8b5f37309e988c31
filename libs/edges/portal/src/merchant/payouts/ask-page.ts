import { type Minor } from '#domain/kernel';
import { html, type Html } from '#shared/html';
import { type Viewer } from '../../access/viewer.js';
import {
  definitions,
  emptyState,
  errorSummary,
  field,
  form,
  hidden,
  money,
  notice,
  statusMark,
} from '../../page/parts.js';
import { accountField } from '../days/days-page.js';
import { type MerchantTexts } from '../merchant-texts.js';
import { type Account, type Place } from '../place.js';

interface Frame {
  readonly viewer: Viewer;
  readonly texts: MerchantTexts;
}

const askFields = ['account', 'phone', 'amount', 'reference'] as const;
export type AskField = (typeof askFields)[number];

export interface AskModel {
  readonly place: Place;
  readonly typed: Readonly<Record<AskField, string>>;
  /** Errors by field. A refusal of the whole form is shown at the amount. */
  readonly problems: Partial<Readonly<Record<AskField, string>>>;
  /** Set once the form was checked and has no error; nothing is requested yet. */
  readonly checked?: CheckedPayout;
}

/** A payout before it is requested. */
export interface CheckedPayout {
  readonly currency: string;
  readonly amountMinor: Minor;
  readonly feeMinor: Minor;
  /** The customer's whole number, as the person typed it: they must be able to compare it. */
  readonly phone: string;
  /** Undefined if the balance cannot be read at the moment. */
  readonly availableMinor: Minor | undefined;
}

/**
 * The form of a payout, with the fee, the total and the balance after beside it once it is checked (POR-27). The
 * reference is made with the form, so that sending it twice asks once (POR-20).
 */
export function askPage(model: AskModel, frame: Frame): Html {
  const { place, typed, problems, checked } = model;
  const { payouts: words, common } = frame.texts;
  const [first] = place.accounts;
  if (!first) return emptyState(common.noAccounts.text, common.noAccounts.todo);
  if (checked) return checkedPage(model, checked, frame);
  const account = place.accounts.find(({ accountNo }) => accountNo === typed.account) ?? first;
  const wrong = askFields.flatMap((name) => {
    const text = problems[name];
    return text === undefined ? [] : [{ field: name, text }];
  });
  return html`${errorSummary(common.form.invalid, wrong)}
    <p>${words.askIntro}</p>
    <div class="split">
      ${form(frame.viewer, {
        action: `${place.base}/payouts/check`,
        submit: words.check,
        fields: fields(model, account, frame.texts),
      })}
      <section class="card" aria-labelledby="summary">
        <h2 id="summary">${words.summary}</h2>
        <p>${modeMark(place, frame.texts)}</p>
        <p class="soft">${words.summaryHint}</p>
      </section>
    </div>`;
}

function fields(
  { place, typed, problems }: AskModel,
  account: Account,
  texts: MerchantTexts,
): readonly Html[] {
  const { payouts: words, common } = texts;
  const text = (name: AskField, label: string, hint: string, maxLength: number) =>
    field({
      name,
      label,
      hint,
      maxLength,
      isRequired: true,
      autocomplete: 'off',
      value: typed[name],
      error: problems[name],
    });
  return [
    accountField(place, account, texts),
    text('phone', words.phone, words.phoneHint, 20),
    text('amount', common.amount, words.amountHint(account.currency), 16),
    text('reference', common.reference, words.referenceHint, 64),
  ];
}

/** The same payout as facts: the form sends exactly what the page shows. */
function checkedPage({ place, typed }: AskModel, checked: CheckedPayout, frame: Frame): Html {
  const { viewer, texts } = frame;
  const { payouts: words, common } = texts;
  const { currency, amountMinor, feeMinor, availableMinor, phone } = checked;
  const totalMinor = amountMinor + feeMinor;
  const afterMinor = availableMinor === undefined ? undefined : availableMinor - totalMinor;
  const same = askFields.map((name) => hidden(name, typed[name]));
  const shown = (minor: Minor | undefined): Html | undefined =>
    minor === undefined ? undefined : money(minor, currency);
  return html`<p>${words.checkIntro}</p>
    <section class="card dialog" aria-labelledby="summary">
      <h2 id="summary">${words.summary}</h2>
      <p>${modeMark(place, texts)}</p>
      <p class="amount">${money(amountMinor, currency)}</p>
      ${definitions([
        [words.confirm.to, phone],
        [words.merchant, place.name],
        [common.account, typed.account],
        [common.reference, typed.reference],
        [common.fee, money(feeMinor, currency)],
        [words.total, html`<b>${money(totalMinor, currency)}</b>`],
        [words.available, shown(availableMinor)],
        [words.after, shown(afterMinor)],
      ])}
      ${afterMinor !== undefined && afterMinor < 0n ? notice('warning', words.short) : undefined}
      <div class="buttons">
        ${form(viewer, { action: `${place.base}/payouts`, submit: words.submit, fields: same })}
        ${form(viewer, {
          action: `${place.base}/payouts/check`,
          submit: words.change,
          look: 'secondary',
          fields: [...same, hidden(changeField, 'on')],
        })}
      </div>
    </section>`;
}

/** The field with which the checked page leads back to the form, with its values. */
export const changeField = 'change';

/** The mode in words, as a badge that cannot be overlooked. */
export function modeMark({ mode }: Pick<Place, 'mode'>, { payouts }: MerchantTexts): Html {
  return statusMark(mode, payouts.modes[mode], mode === 'demo' ? 'waiting' : 'good');
}
