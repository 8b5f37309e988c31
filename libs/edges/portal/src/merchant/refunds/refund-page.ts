import { decimalFromMinor, type Minor } from '#domain/kernel';
import { html, type Html } from '#shared/html';
import { type Viewer } from '../../access/viewer.js';
import { definitions, field, form, hidden, money, moneyText, notice } from '../../page/parts.js';
import { type MerchantTexts } from '../merchant-texts.js';
import { askLayout, modeMark } from '../payouts/ask-page.js';
import { itemAddress, type Place } from '../place.js';
import { refundAddress } from './item-refunds.js';
import { type Refundable } from './refund-forms.js';
import { type RefundField, refundFields, type TypedRefund } from './typed-refund.js';

interface Frame {
  readonly viewer: Viewer;
  readonly texts: MerchantTexts;
}

export interface RefundModel {
  readonly place: Place;
  readonly found: Refundable;
  readonly typed: TypedRefund;
  /** The error of the form and its field. */
  readonly wrong?: { readonly field: RefundField; readonly text: string } | undefined;
  /** The account's available money; undefined if it cannot be read at the moment. */
  readonly availableMinor: Minor | undefined;
  /** Set once the form was checked and has no error; nothing is requested yet. */
  readonly checked?: CheckedRefund | undefined;
}

/** A refund before it is requested. */
export interface CheckedRefund {
  readonly amountMinor: Minor;
  /** True if the rail reverses the payment, false if the amount is sent to the number that paid. */
  readonly isReversed: boolean;
}

/**
 * The form of a refund, with the way that the money goes back and the balance after beside it once it is checked
 * (POR-132).
 */
export function refundPage(model: RefundModel, frame: Frame): Html {
  const { checked, wrong } = model;
  const { refunds: words } = frame.texts;
  const parts = {
    wrong: wrong ? [wrong] : [],
    intro: checked ? words.checkIntro : words.intro,
    form: refundForm(model, frame),
    summary: checked && checkedCard(model, checked, frame),
    summaryHint: words.summaryHint,
  };
  return askLayout(parts, frame.texts);
}

/** The form keeps its values beside the checked summary, so that a change is checked again. */
function refundForm(model: RefundModel, { viewer, texts }: Frame): Html {
  const { place, found, checked } = model;
  const { refunds: words, payouts } = texts;
  const { reference } = found.collection.intent;
  const item = itemAddress(place, { type: 'collection', reference });
  return form(viewer, {
    action: `${refundAddress(place, reference)}/check`,
    submit: checked ? payouts.checkAgain : words.check,
    ...(checked && { look: 'secondary' }),
    beside: html`<a class="button secondary" href="${item}">${payouts.leave}</a>`,
    fields: [
      amountFields(model, texts),
      field({
        ...textField('reference', model),
        label: words.reference,
        hint: payouts.referenceHint,
        isRequired: true,
        maxLength: 64,
        width: 'medium',
      }),
    ],
  });
}

/** A choice of the whole payment or a part if both are possible, else the fields of the only way. */
function amountFields(model: RefundModel, texts: MerchantTexts): Html {
  const { found, typed, wrong } = model;
  const { refunds: words } = texts;
  if (!found.isReversible) return html`${hidden('how', 'part')} ${partFields(model, true, texts)}`;
  const whole = words.whole(moneyText(found.leftMinor, found.collection.intent.currency));
  const error = wrong?.field === 'how' ? html`<p class="wrong">${wrong.text}</p>` : undefined;
  if (!found.isPayable)
    return html`${hidden('how', 'whole')}
      <div class="field" id="how">
        ${error}
        <p><b>${whole}</b></p>
        <p class="hint">${words.wholeHint}</p>
      </div>`;
  const isPart = typed.how === 'part';
  const radio = (how: 'whole' | 'part', isChosen: boolean): Html =>
    html`<input
      type="radio"
      id="${how === 'whole' ? 'how' : 'part'}"
      name="how"
      value="${how}"
      ${isChosen ? html` checked` : undefined}
    />`;
  return html`<fieldset class="decisions">
    <legend>${words.how}</legend>
    ${error}
    <div class="option">
      <label for="how">${radio('whole', !isPart)} ${whole}</label>
      <p class="soft">${words.wholeHint}</p>
    </div>
    <div class="option">
      <label for="part">${radio('part', isPart)} ${words.part}</label>
      <p class="soft">${words.partHint}</p>
      <div class="with">${partFields(model, false, texts)}</div>
    </div>
  </fieldset>`;
}

/** The fields of a refund that is sent to the number that paid. No browser demands them beside a choice. */
function partFields(
  { found, typed, wrong }: RefundModel,
  isRequired: boolean,
  texts: MerchantTexts,
) {
  const { currency, phoneMasked = '' } = found.collection.intent;
  const { refunds: words, common } = texts;
  const text = (name: RefundField, label: string, hint: string) => ({
    ...textField(name, { typed, wrong }),
    label,
    hint,
    isRequired,
  });
  const left = words.left(moneyText(found.leftMinor, currency));
  return html`${field({ ...text('amount', common.amount, left), maxLength: 16, width: 'short', prefix: currency })}
  ${field({ ...text('phone', words.phone, words.phoneHint(phoneMasked)), maxLength: 20, width: 'medium' })}`;
}

function textField(name: RefundField, { typed, wrong }: Pick<RefundModel, 'typed' | 'wrong'>) {
  const error = wrong?.field === name ? wrong.text : undefined;
  return { name, value: typed[name], error, autocomplete: 'off' };
}

/** The refund as facts. Its form sends exactly what the card shows. */
function checkedCard(model: RefundModel, checked: CheckedRefund, { viewer, texts }: Frame): Html {
  const { place, found, typed, availableMinor } = model;
  const { refunds: words, payouts, common } = texts;
  const { reference, currency, accountNo, phoneMasked } = found.collection.intent;
  const { amountMinor, isReversed } = checked;
  const shown = (minor: Minor | undefined): Html | undefined =>
    minor === undefined ? undefined : money(minor, currency);
  const afterMinor = availableMinor === undefined ? undefined : availableMinor - amountMinor;
  return html`<section class="card summary" aria-labelledby="summary">
    <h2 id="summary">${payouts.summary}</h2>
    <p>${modeMark(place, texts)}</p>
    <p class="amount">${money(amountMinor, currency)}</p>
    ${definitions([
      [payouts.confirm.to, typed.phone === '' ? (phoneMasked ?? payouts.payer) : typed.phone],
      [words.way, isReversed ? words.ways.reversed : words.ways.sent],
      [texts.item.refundOf, reference],
      [payouts.merchant, place.name],
      [common.account, accountNo],
      [common.reference, typed.reference],
      [words.leftAfter, money(found.leftMinor - amountMinor, currency)],
      [payouts.available, shown(availableMinor)],
      [payouts.after, shown(afterMinor)],
    ])}
    ${afterMinor !== undefined && afterMinor < 0n ? notice('warning', words.short) : undefined}
    ${form(viewer, {
      action: refundAddress(place, reference),
      submit: words.submit,
      fields: refundFields.map((name) => hidden(name, typed[name])),
    })}
  </section>`;
}

/** The values of the form before anything is typed: the whole payment, or else all that is left of it. */
export function untyped(found: Refundable, reference: string): TypedRefund {
  const { isReversible, leftMinor } = found;
  if (isReversible) return { how: 'whole', amount: '', phone: '', reference };
  return { how: 'part', amount: decimalFromMinor(leftMinor), phone: '', reference };
}
