import { type PayoutRequest } from '#domain/payouts';
import { html, type Html } from '#shared/html';
import { type UnsettledPayout } from '#views/payouts';
import { type TransactionItem } from '#views/transactions';
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
  table,
  time,
} from '../../page/parts.js';
import { accountField } from '../days/days-page.js';
import { type Names, personName } from '../colleagues.js';
import { itemAddress, type Place } from '../place.js';
import { type MerchantTexts } from '../merchant-texts.js';

interface Frame {
  readonly viewer: Viewer;
  readonly texts: MerchantTexts;
}

export interface PayoutsModel {
  readonly place: Place;
  /** Undefined if the view cannot answer at the moment. */
  readonly waiting: readonly UnsettledPayout[] | undefined;
  readonly latest: readonly TransactionItem[] | undefined;
  readonly mayAsk: boolean;
}

/** The page of payouts that wait for a second person, and of the latest payouts. */
export function payoutsPage(
  { place, waiting, latest, mayAsk }: PayoutsModel,
  texts: MerchantTexts,
): Html {
  const { payouts: words, common } = texts;
  const amount = { text: common.amount, isNumber: true } as const;
  return html`<p>${words.intro}</p>
    ${
      mayAsk
        ? html`<p>
            <a class="button" href="${place.base}/payouts/ask">${words.ask}</a>
            <a class="button" href="${place.base}/payouts/batches">${texts.batches.ask}</a>
          </p>`
        : undefined
    }
    ${
      waiting
        ? table({
            caption: words.waiting,
            head: [common.reference, amount, common.account, common.created],
            rows: waitingRows(place, waiting, texts),
            empty: emptyState(words.noneWaiting.text, words.noneWaiting.todo),
          })
        : notice('warning', common.unavailable)
    }
    ${
      latest
        ? table({
            caption: words.latest,
            head: [common.reference, common.status, amount, common.created],
            rows: latest.map((item) => [
              html`<a href="${itemAddress(place, item)}">${item.reference}</a>`,
              statusMark(item.status, common.statuses[item.status]),
              money(item.amount_minor, item.currency),
              time(item.created_at, place.timezone),
            ]),
            empty: emptyState(words.noneYet.text, words.noneYet.todo),
          })
        : notice('warning', common.unavailable)
    }`;
}

/** Rows of the waiting payouts. A batch is decided as a whole, so it has one row. */
function waitingRows(place: Place, waiting: readonly UnsettledPayout[], texts: MerchantTexts) {
  const told = new Set<string>();
  return waiting.flatMap((of) => {
    if (of.batch !== null && told.has(of.batch)) return [];
    if (of.batch !== null) told.add(of.batch);
    const since = time(of.since, place.timezone);
    if (of.batch === null) {
      const link = html`<a href="${waitingAddress(place, of.reference)}">${of.reference}</a>`;
      return [[link, money(of.amountMinor, of.currency), of.accountNo, since]];
    }
    const address = `${place.base}/payouts/batches/${encodeURIComponent(of.batch)}`;
    const link = html`<a href="${address}">${of.batch}</a> (${texts.batches.waiting})`;
    return [[link, '', of.accountNo, since]];
  });
}

/** The address of the page on which a person checks a payout before deciding. */
export function waitingAddress({ base }: Pick<Place, 'base'>, reference: string): string {
  return `${base}/payouts/waiting/${encodeURIComponent(reference)}`;
}

const askFields = ['account', 'phone', 'amount', 'reference'] as const;
export type AskField = (typeof askFields)[number];

export interface AskModel {
  readonly place: Place;
  readonly typed: Readonly<Record<AskField, string>>;
  /** Errors by field. A refusal of the whole form is shown at the amount. */
  readonly problems: Partial<Readonly<Record<AskField, string>>>;
}

/** The form of a payout. Its reference is made with the form, so that sending it twice asks once (POR-20). */
export function askPage({ place, typed, problems }: AskModel, { viewer, texts }: Frame): Html {
  const { payouts: words, common } = texts;
  const [first] = place.accounts;
  if (!first) return emptyState(common.noAccounts.text, common.noAccounts.todo);
  const account = place.accounts.find(({ accountNo }) => accountNo === typed.account) ?? first;
  const wrong = askFields.flatMap((name) => {
    const text = problems[name];
    return text === undefined ? [] : [{ field: name, text }];
  });
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
  return html`${errorSummary(common.form.invalid, wrong)}
    <p>${words.askIntro}</p>
    ${form(viewer, {
      action: `${place.base}/payouts`,
      submit: words.submit,
      fields: [
        accountField(place, account, texts),
        text('phone', words.phone, words.phoneHint, 20),
        text('amount', common.amount, words.amountHint(account.currency), 16),
        text('reference', common.reference, words.referenceHint, 64),
      ],
    })}`;
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
}

/** A number as an approver compares it: masked, with its last digits. */
export function numberShown(
  masked: string,
  lastDigits: string | undefined,
  { payouts: words }: MerchantTexts,
): string {
  return lastDigits === undefined ? masked : `${masked} (${words.lastDigits(lastDigits)})`;
}

/** The page of one waiting payout, and what a person may do about it. */
export function decidePage(
  model: DecideModel,
  problem: string | undefined,
  { viewer, texts }: Frame,
): Html {
  const { place, names, request, isOwn, isWaiting, mayDecide, mayCancel, isPaused } = model;
  const { payouts: words, common, item } = texts;
  const { currency, amountMinor, feeMinor, reference } = request;
  const decide = (verdict: 'approve' | 'reject') =>
    form(viewer, {
      action: `${place.base}/payouts/${verdict}`,
      submit: words[verdict],
      danger: verdict === 'reject',
      fields: [hidden('reference', reference), hidden('amount_minor', amountMinor.toString())],
    });
  return html`${problem === undefined ? undefined : notice('error', problem)}
    ${isPaused ? notice('warning', words.paused) : undefined}
    ${definitions([
      [words.merchant, place.name],
      [words.mode, words.modes[place.mode]],
      [common.amount, money(amountMinor, currency)],
      [common.fee, money(feeMinor, currency)],
      [words.confirm.to, numberShown(request.phoneMasked, model.lastDigits, texts)],
      [common.account, request.accountNo],
      [common.reference, reference],
      [item.batch, request.batch],
      [words.askedBy, personName(request.holder, names)],
    ])}
    ${
      !isWaiting
        ? notice('info', words.problems.not_pending_approval)
        : isOwn
          ? notice('info', words.notByYou)
          : mayDecide
            ? html`<p>${words.compare}</p>
                ${decide('approve')} ${decide('reject')}`
            : undefined
    }
    ${
      mayCancel
        ? html`<p>${words.cancelHow}</p>
            ${form(viewer, {
              action: `${place.base}/payouts/cancel`,
              submit: words.cancel,
              danger: true,
              fields: [hidden('reference', reference)],
            })}`
        : undefined
    }
    <p><a href="${itemAddress(place, { type: 'payout', reference })}">${item.timeline}</a></p>`;
}
