import { type Minor } from '#domain/kernel';
import { type PayoutRequest } from '#domain/payouts';
import { html, type Html } from '#shared/html';
import { type Viewer } from '../../access/viewer.js';
import { definitions, form, hidden, money, notice } from '../../page/parts.js';
import { type Names, personName } from '../colleagues.js';
import { type MerchantTexts } from '../merchant-texts.js';
import { collectionLink, itemAddress, type Place } from '../place.js';
import { modeMark } from './ask-page.js';
import { railRows } from './rail-field.js';

interface Frame {
  readonly viewer: Viewer;
  readonly texts: MerchantTexts;
}

export interface DecideModel {
  readonly place: Place;
  readonly names: Names;
  readonly request: PayoutRequest;
  /** True if the viewer asked for the payout themselves, under any of their names. */
  readonly isOwn: boolean;
  readonly isWaiting: boolean;
  readonly mayDecide: boolean;
  /** True if the payout was not given to the rail and is not decided with a batch, and the viewer may cancel it. */
  readonly mayCancel: boolean;
  readonly isPaused: boolean;
  /** Last digits of the number, for approvers; undefined if the records no longer keep it. */
  readonly lastDigits: string | undefined;
  /** The available balance; amount and fee are reserved already. Undefined if it cannot be read at the moment. */
  readonly availableMinor: Minor | undefined;
}

/** A number as an approver compares it: masked, with its last digits. */
export function numberShown(
  masked: string | undefined,
  lastDigits: string | undefined,
  { payouts: words }: MerchantTexts,
): string {
  if (masked === undefined) return words.payer;
  return lastDigits === undefined ? masked : `${masked} (${words.lastDigits(lastDigits)})`;
}

/** The way in which a refund goes back to the customer, in words. */
export function wayOf(
  { reverses }: NonNullable<PayoutRequest['refund']>,
  { refunds: { ways } }: MerchantTexts,
): string {
  return reverses === undefined ? ways.sent : ways.reversed;
}

/** The page of one waiting payout, and what a person may do about it. */
export function decidePage(model: DecideModel, problem: string | undefined, frame: Frame): Html {
  const { place, request, isPaused, isWaiting } = model;
  const { payouts: words, item } = frame.texts;
  const { currency, amountMinor, reference } = request;
  return html`${problem === undefined ? undefined : notice('error', problem)}
    ${isPaused ? notice('warning', words.paused) : undefined}
    <section class="card dialog">
      <p>${modeMark(place, frame.texts)}</p>
      <p class="amount">${money(amountMinor, currency)}</p>
      ${facts(model, frame.texts)}
      ${isWaiting ? decision(model, frame) : notice('info', words.problems.not_pending_approval)}
    </section>
    ${model.mayCancel ? cancellation(model, frame) : undefined}
    <p><a href="${itemAddress(place, { type: 'payout', reference })}">${item.timeline}</a></p>`;
}

function facts(model: DecideModel, texts: MerchantTexts): Html {
  const { place, names, request, isWaiting, availableMinor } = model;
  const { payouts: words, common, item, refunds } = texts;
  const { currency, amountMinor, feeMinor, refund } = request;
  const to = numberShown(request.phoneMasked, model.lastDigits, texts);
  return definitions([
    [words.confirm.to, to],
    ...railRows(request.channel, texts),
    [words.merchant, place.name],
    [common.fee, money(feeMinor, currency)],
    [words.total, html`<b>${money(amountMinor + feeMinor, currency)}</b>`],
    [
      words.after,
      isWaiting && availableMinor !== undefined ? money(availableMinor, currency) : undefined,
    ],
    [common.account, request.accountNo],
    [common.reference, request.reference],
    [item.batch, request.batch],
    [item.refundOf, refund && collectionLink(place, refund.reference)],
    [refunds.way, refund && wayOf(refund, texts)],
    [words.askedBy, personName(request.holder, names)],
  ]);
}

function decision({ place, request, isOwn, mayDecide }: DecideModel, { viewer, texts }: Frame) {
  const { payouts: words } = texts;
  const { reference, amountMinor } = request;
  if (isOwn) return notice('info', words.notByYou);
  if (!mayDecide) return undefined;
  const decide = (verdict: 'approve' | 'reject') =>
    form(viewer, {
      action: `${place.base}/payouts/${verdict}`,
      submit: words[verdict],
      ...(verdict === 'reject' ? { look: 'secondary' } : {}),
      fields: [hidden('reference', reference), hidden('amount_minor', amountMinor.toString())],
    });
  return html`<p>${words.compare}</p>
    <div class="buttons">${decide('approve')} ${decide('reject')}</div>`;
}

function cancellation({ place, request }: DecideModel, { viewer, texts }: Frame): Html {
  const { payouts: words } = texts;
  return html`<p>${words.cancelHow}</p>
    ${form(viewer, {
      action: `${place.base}/payouts/cancel`,
      submit: words.cancel,
      danger: true,
      fields: [hidden('reference', request.reference)],
    })}`;
}
