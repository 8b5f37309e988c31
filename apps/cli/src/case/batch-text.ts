import { type PayoutStatus, payoutBatchViewOf } from '#domain/payouts';
import { type BatchCase } from '#desk/operators';
import { money } from '../money.js';
import { statusWord, statusWords } from '../status-words.js';
import { section, table } from '../table.js';
import { eventJson, nextJson } from './case-json.js';
import { eventSection, known, nextSection } from './case-text.js';

/** The batch's facts and the state of its payouts, one fact a line. */
export function batchSummary({ key, state, sums, events }: BatchCase): readonly string[] {
  const { accountNo, currency, holder } = state.request;
  const { status, count, amountMinor } = payoutBatchViewOf(state);
  const failure =
    state.status === 'rejected' ? ({ code: state.reason, type: 'payout' } as const) : undefined;
  const rows = [...sums.byStatus].map(([each, sum]) => [
    statusWord(each),
    String(sum.count),
    money(sum.amountMinor, currency),
  ]);
  return [
    `batch ${key.reference}`,
    ...known([
      ['merchant', `${key.merchantId}, ${key.mode} mode, account ${accountNo}`],
      ['status', statusWords(status, failure)],
      ['payouts', String(count)],
      ['amount', money(amountMinor, currency)],
      ['asked by', holder],
      ['approved by', state.status === 'approved' ? state.approvedBy : undefined],
      ['rejected by', state.status === 'rejected' ? state.rejectedBy : undefined],
      ['asked at', events[0]?.recordedAt],
    ]),
    ...section(
      `its payouts (as of ${sums.asOf})`,
      rows.length === 0 ? [] : table(['status', 'payouts', 'amount'], rows),
    ),
  ];
}

/** Everything about the batch. */
export function batchLines(found: BatchCase): readonly string[] {
  const now = found.sums.asOf;
  return [...batchSummary(found), ...eventSection(found.events), ...nextSection(found.next, now)];
}

/** The same as one object. */
export function batchJson({ key, state, sums, events, next }: BatchCase): object {
  const { status, count, amountMinor, currency } = payoutBatchViewOf(state);
  const counted = [...sums.byStatus].map(([each, sum]): [PayoutStatus, object] => [
    each,
    { count: sum.count, amount_minor: sum.amountMinor },
  ]);
  return {
    merchant_id: key.merchantId,
    mode: key.mode,
    reference: key.reference,
    status,
    rejected_for: state.status === 'rejected' ? state.reason : null,
    count,
    amount_minor: amountMinor,
    currency,
    account_no: state.request.accountNo,
    asked_by: state.request.holder,
    approved_by: state.status === 'approved' ? state.approvedBy : null,
    rejected_by: state.status === 'rejected' ? (state.rejectedBy ?? null) : null,
    by_status: Object.fromEntries(counted),
    as_of: sums.asOf,
    events: events.map(eventJson),
    next: next.map(nextJson),
  };
}
