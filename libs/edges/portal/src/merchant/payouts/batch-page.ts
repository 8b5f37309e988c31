import {
  type PayoutBatchRequest,
  type PayoutBatchStatus,
  type PayoutRequest,
} from '#domain/payouts';
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
  table,
} from '../../page/parts.js';
import { accountField } from '../days/days-page.js';
import { type Names, personName } from '../colleagues.js';
import { itemAddress, type Place } from '../place.js';
import { type MerchantTexts } from '../merchant-texts.js';
import { modeMark } from './ask-page.js';
import { numberShown } from './decide-page.js';
import { railField, railRows } from './rail-field.js';

interface Frame {
  readonly viewer: Viewer;
  readonly texts: MerchantTexts;
}

export type BatchProblem = keyof MerchantTexts['batches']['problems'];

export interface AskBatchModel {
  readonly place: Place;
  /** The rails to choose from; a form with one offers no choice. */
  readonly channels: readonly string[];
  readonly typed: Readonly<Record<'account' | 'channel' | 'reference', string>>;
  /** Errors, one sentence each. */
  readonly problems: readonly string[];
}

/** Most wrong rows that the page lists. More would not help. */
export const maxRowsShown = 20;

/** The form of a batch: one file, one reference, one amount to reserve. */
export function askBatchPage(
  { place, channels, typed, problems }: AskBatchModel,
  { viewer, texts }: Frame,
): Html {
  const { batches: words, common, payouts } = texts;
  const [first] = place.accounts;
  if (!first) return emptyState(common.noAccounts.text, common.noAccounts.todo);
  const account = place.accounts.find(({ accountNo }) => accountNo === typed.account) ?? first;
  const wrong = problems.map((text) => ({ field: 'file', text }));
  return html`${errorSummary(common.form.invalid, wrong)}
    <p>${words.intro}</p>
    <pre class="scroll" tabindex="0"><code>reference,phone,amount
salary-2026-11-1,0712345678,1250.00</code></pre>
    ${form(viewer, {
      action: `${place.base}/payouts/batches`,
      submit: words.submit,
      hasFile: true,
      fields: [
        accountField(place, account, texts),
        railField({ channels, typed: typed.channel, error: undefined }, texts),
        field({
          name: 'reference',
          label: words.reference,
          hint: payouts.referenceHint,
          value: typed.reference,
          isRequired: true,
          maxLength: 64,
          autocomplete: 'off',
        }),
        field({
          name: 'file',
          label: words.file,
          type: 'file',
          isRequired: true,
          error: problems.length > 0 ? words.lookAbove : undefined,
        }),
      ],
    })}`;
}

/** The payouts of a batch in its order, and the digest that names all of them together. */
export interface BatchItemsShown {
  readonly items: readonly PayoutRequest[];
  readonly digest: string;
}

export interface BatchModel {
  readonly place: Place;
  readonly names: Names;
  readonly request: PayoutBatchRequest;
  readonly status: PayoutBatchStatus;
  /** True if the viewer asked for the batch themselves, under any of their names. */
  readonly isOwn: boolean;
  readonly mayDecide: boolean;
  readonly mayCancel: boolean;
  readonly shown: BatchItemsShown;
  /** Last digits of the numbers, for approvers, by the payouts' references. */
  readonly lastDigits: ReadonlyMap<string, string>;
  readonly problem: string | undefined;
}

/** The page of a batch: the request, links to its payouts, and what another person may do. */
export function batchPage(model: BatchModel, { viewer, texts }: Frame): Html {
  const { place, names, request, status, isOwn, mayDecide, mayCancel, problem } = model;
  const { items, digest } = model.shown;
  const { batches: words, common, payouts } = texts;
  const { reference, currency, amountMinor, count } = request;
  const decide = (verdict: 'approve' | 'reject') =>
    form(viewer, {
      action: `${place.base}/payouts/batches/${verdict}`,
      submit: payouts[verdict],
      ...(verdict === 'reject' ? { look: 'secondary' } : {}),
      fields: [
        hidden('reference', reference),
        hidden('count', String(count)),
        hidden('amount_minor', amountMinor.toString()),
        hidden('items', digest),
      ],
    });
  const all = new URLSearchParams({ batch: reference }).toString();
  return html`${problem === undefined ? undefined : notice('error', problem)}
    <p>${modeMark(place, texts)} ${statusMark(status, common.statuses[status])}</p>
    <p class="amount">${money(amountMinor, currency)}</p>
    ${definitions([
      [words.count, count],
      ...railRows(request.channel, texts),
      [payouts.merchant, place.name],
      [common.fee, money(feeOf(items), currency)],
      [payouts.total, html`<b>${money(amountMinor + feeOf(items), currency)}</b>`],
      [common.account, request.accountNo],
      [common.reference, reference],
      [payouts.askedBy, personName(request.holder, names)],
    ])}
    <p><a href="${place.base}/transactions?${all}">${words.payouts}</a></p>
    ${itemsTable(model, texts)}
    ${
      status !== 'pending_approval'
        ? undefined
        : isOwn
          ? notice('info', payouts.notByYou)
          : mayDecide
            ? html`<p>${payouts.compare}</p>
                <div class="buttons">${decide('approve')} ${decide('reject')}</div>`
            : undefined
    }
    ${
      mayCancel
        ? html`<p>${words.cancelHow}</p>
            ${form(viewer, {
              action: `${place.base}/payouts/batches/cancel`,
              submit: payouts.cancel,
              danger: true,
              fields: [hidden('reference', reference)],
            })}`
        : undefined
    }`;
}

/** The payouts that an approval is for. */
function itemsTable({ place, shown, lastDigits }: BatchModel, texts: MerchantTexts): Html {
  const { batches: words, common, payouts } = texts;
  return table({
    caption: words.itemsShown,
    head: [
      common.reference,
      payouts.confirm.to,
      { text: common.amount, isNumber: true },
      { text: common.fee, isNumber: true },
    ],
    rows: shown.items.map((item) => [
      html`<a href="${itemAddress(place, { type: 'payout', reference: item.reference })}"
        >${item.reference}</a
      >`,
      numberShown(item.phoneMasked, lastDigits.get(item.reference), texts),
      money(item.amountMinor, item.currency),
      money(item.feeMinor, item.currency),
    ]),
    empty: emptyState(words.problems.empty, payouts.compare),
  });
}

function feeOf(items: BatchItemsShown['items']): bigint {
  return items.reduce((sum, { feeMinor }) => sum + feeMinor, 0n);
}
