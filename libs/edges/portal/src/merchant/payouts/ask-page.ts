import { type Minor } from '#domain/kernel';
import { railNameOf } from '#shared/glossary';
import { html, type Html } from '#shared/html';
import { type Balance } from '#views/balances';
import { type Viewer } from '../../access/viewer.js';
import {
  definitions,
  emptyState,
  errorSummary,
  field,
  form,
  hidden,
  money,
  moneyText,
  notice,
  statusMark,
} from '../../page/parts.js';
import { onlyCurrency } from '../../page/list-parts.js';
import { accountField } from '../days/days-page.js';
import { type MerchantTexts } from '../merchant-texts.js';
import { type Place } from '../place.js';
import { railField } from './rail-field.js';

interface Frame {
  readonly viewer: Viewer;
  readonly texts: MerchantTexts;
}

const askFields = ['account', 'channel', 'phone', 'amount', 'reference'] as const;
export type AskField = (typeof askFields)[number];

export interface AskModel {
  readonly place: Place;
  /** The rails to choose from; a form with one offers no choice. */
  readonly channels: readonly string[];
  readonly typed: Readonly<Record<AskField, string>>;
  /** Errors by field. A refusal of the whole form is shown at the amount. */
  readonly problems: Partial<Readonly<Record<AskField, string>>>;
  /** The balances of the accounts that can be read at the moment. */
  readonly balances: readonly Balance[];
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
  const { place, problems, checked } = model;
  const { payouts: words, common } = frame.texts;
  if (place.accounts.length === 0)
    return emptyState(common.noAccounts.text, common.noAccounts.todo, 'payouts');
  const wrong = askFields.flatMap((name) => {
    const text = problems[name];
    return text === undefined ? [] : [{ field: name, text }];
  });
  const parts = {
    wrong,
    intro: checked ? words.checkIntro : words.askIntro,
    form: askForm(model, frame),
    summary: checked && checkedCard(model, checked, frame),
    summaryHint: words.summaryHint,
  };
  return askLayout(parts, frame.texts);
}

interface AskParts {
  readonly wrong: Parameters<typeof errorSummary>[1];
  readonly intro: string;
  readonly form: Html;
  /** The card of what was checked; undefined until the form has no error. */
  readonly summary: Html | undefined;
  readonly summaryHint: string;
}

/** The layout of a form that is checked before it is sent: the form, with the summary beside it. */
export function askLayout(parts: AskParts, { payouts, common }: MerchantTexts): Html {
  const { wrong, intro, form: asked, summary, summaryHint } = parts;
  return html`${errorSummary(common.form.invalid, wrong)}
    <p class="soft">${intro}</p>
    <div class="split ask">
      ${asked}
      ${
        summary ??
        html`<section class="card empty-summary" aria-labelledby="summary">
          <h2 id="summary">${payouts.summary}</h2>
          <p class="soft">${summaryHint}</p>
        </section>`
      }
    </div>`;
}

/** The form keeps its values beside the checked summary, so that a change is checked again. */
function askForm(model: AskModel, frame: Frame): Html {
  const { place, channels, typed, problems, balances, checked } = model;
  const { viewer, texts } = frame;
  const { payouts: words, common } = texts;
  const account = place.accounts.find(({ accountNo }) => accountNo === typed.account);
  const [first = { accountNo: '', currency: '' }] = place.accounts;
  const currency = onlyCurrency(place.accounts);
  const phoneHint = channels.length > 1 ? words.phoneHintOfRails : words.phoneHint;
  const text = (name: AskField, label: string, hint: string, maxLength: number) => ({
    name,
    label,
    hint,
    maxLength,
    isRequired: true,
    autocomplete: 'off',
    value: typed[name],
    error: problems[name],
  });
  return form(viewer, {
    action: `${place.base}/payouts/check`,
    submit: checked ? words.checkAgain : words.check,
    ...(checked && { look: 'secondary' }),
    beside: html`<a class="button secondary" href="${place.base}/payouts">${words.leave}</a>`,
    fields: [
      accountField(place, account ?? first, texts, availableHint(place, balances, texts)),
      railField({ channels, typed: typed.channel, error: problems.channel }, texts),
      field({ ...text('phone', words.phone, phoneHint, 20), width: 'medium' }),
      field({
        ...text('amount', common.amount, words.amountHint((account ?? first).currency), 16),
        width: 'short',
        prefix: currency,
      }),
      field({ ...text('reference', common.reference, words.referenceHint, 64), width: 'medium' }),
    ],
  });
}

/** The available money of each account whose balance can be read. */
function availableHint(
  { accounts }: Place,
  balances: readonly Balance[],
  { payouts: words }: MerchantTexts,
): string | undefined {
  if (balances.length === 0) return undefined;
  const shown = balances.map(({ accountNo, currency, availableMinor }) => {
    const amount = moneyText(availableMinor, currency);
    return accounts.length > 1 ? `${accountNo}: ${amount}` : amount;
  });
  return `${words.available} ${shown.join('; ')}`;
}

/** The payout as facts. Its form sends exactly what the card shows. */
function checkedCard(
  { place, channels, typed }: AskModel,
  checked: CheckedPayout,
  frame: Frame,
): Html {
  const { viewer, texts } = frame;
  const { payouts: words, common } = texts;
  const { currency, amountMinor, feeMinor, availableMinor, phone } = checked;
  const totalMinor = amountMinor + feeMinor;
  const afterMinor = availableMinor === undefined ? undefined : availableMinor - totalMinor;
  const shown = (minor: Minor | undefined): Html | undefined =>
    minor === undefined ? undefined : money(minor, currency);
  return html`<section class="card summary" aria-labelledby="summary">
    <h2 id="summary">${words.summary}</h2>
    <p>${modeMark(place, texts)}</p>
    <p class="amount">${money(amountMinor, currency)}</p>
    ${definitions([
      [words.confirm.to, phone],
      [words.rail, channels.length > 1 ? railNameOf(typed.channel) : undefined],
      [words.merchant, place.name],
      [common.account, typed.account],
      [common.reference, typed.reference],
      [common.fee, money(feeMinor, currency)],
      [words.total, html`<b>${money(totalMinor, currency)}</b>`],
      [words.available, shown(availableMinor)],
      [words.after, shown(afterMinor)],
    ])}
    ${afterMinor !== undefined && afterMinor < 0n ? notice('warning', words.short) : undefined}
    ${form(viewer, {
      action: `${place.base}/payouts`,
      submit: words.submit,
      fields: askFields
        .filter((name) => typed[name] !== '')
        .map((name) => hidden(name, typed[name])),
    })}
  </section>`;
}

/** The mode in words, as a badge that cannot be overlooked. */
export function modeMark({ mode }: Pick<Place, 'mode'>, { payouts }: MerchantTexts): Html {
  return statusMark(mode, payouts.modes[mode], mode === 'demo' ? 'waiting' : 'good');
}
