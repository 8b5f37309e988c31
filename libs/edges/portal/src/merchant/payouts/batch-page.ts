import { type PayoutBatchRequest, type PayoutBatchStatus } from '#domain/payouts';
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
import { type Names, personName } from '../colleagues.js';
import { type Place } from '../place.js';
import { type MerchantTexts } from '../texts.js';

interface Frame {
  readonly viewer: Viewer;
  readonly texts: MerchantTexts;
}

export type BatchProblem = keyof MerchantTexts['batches']['problems'];

export interface AskBatchModel {
  readonly place: Place;
  readonly typed: { readonly account: string; readonly reference: string };
  /** What is wrong, sentence by sentence. */
  readonly problems: readonly string[];
}

/** More rows than these tell nobody more. */
export const maxRowsShown = 20;

/** The form of a batch: one file, one reference, one sum to set aside. */
export function askBatchPage(
  { place, typed, problems }: AskBatchModel,
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
      submit: payouts.submit,
      hasFile: true,
      fields: [
        accountField(place, account, texts),
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

export interface BatchModel {
  readonly place: Place;
  readonly names: Names;
  readonly request: PayoutBatchRequest;
  readonly status: PayoutBatchStatus;
  /** Whether the viewer asked for it themselves, under any name of theirs. */
  readonly isOwn: boolean;
  readonly mayDecide: boolean;
  readonly problem: string | undefined;
}

/** A batch as it was asked for, the way to its payouts, and what somebody else may do. */
export function batchPage(model: BatchModel, { viewer, texts }: Frame): Html {
  const { place, names, request, status, isOwn, mayDecide, problem } = model;
  const { batches: words, common, payouts } = texts;
  const { reference, currency, amountMinor, count } = request;
  const decide = (verdict: 'approve' | 'reject') =>
    form(viewer, {
      action: `${place.base}/payouts/batches/${verdict}`,
      submit: payouts[verdict],
      danger: verdict === 'reject',
      fields: [
        hidden('reference', reference),
        hidden('count', String(count)),
        hidden('amount_minor', amountMinor.toString()),
      ],
    });
  const all = new URLSearchParams({ batch: reference }).toString();
  return html`${problem === undefined ? undefined : notice('error', problem)}
    ${definitions([
      [common.status, statusMark(status, common.statuses[status])],
      [words.count, count],
      [common.amount, money(amountMinor, currency)],
      [common.account, request.accountNo],
      [common.reference, reference],
      [payouts.askedBy, personName(request.holder, names)],
    ])}
    <p><a href="${place.base}/transactions?${all}">${words.payouts}</a></p>
    ${
      status !== 'pending_approval'
        ? undefined
        : isOwn
          ? notice('info', payouts.notByYou)
          : mayDecide
            ? html`${decide('approve')} ${decide('reject')}`
            : undefined
    }`;
}
