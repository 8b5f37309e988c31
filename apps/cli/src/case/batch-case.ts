import { Pipeline, type RecordedEvent } from '#domain/event-sourcing';
import { assertNever, type Mode } from '#domain/kernel';
import {
  FindPayoutBatch,
  type PayoutBatchEvent,
  type PayoutBatchKey,
  payoutBatchViewOf,
  payoutDecider,
  payoutStream,
  type PayoutStatus,
  type RecordedBatch,
} from '#domain/payouts';
import { Database } from '#infra/postgres';
import { findBatchesByReference, type PayoutBatchSums, payoutBatchSums } from '#views/payouts';
import { type INestApplicationContext } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { money } from '../money.js';
import { Refused } from '../refused.js';
import { section, table } from '../table.js';
import { eventJson } from './case-json.js';
import { eventSection, known, nextSection } from './case-text.js';
import { type NextAction } from './rail-schedule.js';

/** What is known of a batch of payouts: its history from the log itself, and its payouts' counts from the view. */
export interface BatchCase {
  readonly key: PayoutBatchKey;
  readonly events: readonly RecordedEvent<PayoutBatchEvent>[];
  readonly state: RecordedBatch;
  readonly sums: PayoutBatchSums;
  readonly next: readonly NextAction[];
}

interface NamedBatch {
  readonly reference: string;
  readonly merchant?: string;
  readonly mode?: Mode;
}

/**
 * @throws Refused where there is no such batch, or more than one; DependencyUnavailable where the views are being built
 */
export async function loadBatch(
  app: INestApplicationContext,
  named: NamedBatch,
): Promise<BatchCase> {
  const key = await batchNamed(app, named);
  const { state, events } = await app.get(QueryBus).execute(new FindPayoutBatch(key));
  if (state.status === 'none') throw new Refused([unknown(named)]);
  // A person reads as of when it is.
  const anyAge = { maxAgeMs: Number.POSITIVE_INFINITY };
  const sums = await payoutBatchSums(app.get(Database), key, anyAge);
  return { key, events, state, sums, next: await nextOf(app, state, sums) };
}

/** @throws Refused where there is none, or more than one */
export async function batchNamed(
  app: INestApplicationContext,
  named: NamedBatch,
): Promise<PayoutBatchKey> {
  const { reference, merchant, mode } = named;
  if (merchant !== undefined && mode !== undefined)
    return { merchantId: merchant, mode, reference };
  const found = (await findBatchesByReference(app.get(Database), reference))
    .filter(({ merchantId }) => merchantId === (merchant ?? merchantId))
    .filter((key) => key.mode === (mode ?? key.mode));
  const [only, ...others] = found;
  if (!only) throw new Refused([unknown(named)]);
  if (others.length === 0) return only;
  throw new Refused([
    `${reference} is not unique; say which:`,
    ...found.map((key) => `  --merchant ${key.merchantId} --mode ${key.mode}`),
  ]);
}

function unknown({ reference, merchant, mode }: NamedBatch): string {
  const whose = merchant === undefined ? '' : ` of merchant ${merchant}`;
  return `no batch of payouts ${reference}${whose}${mode === undefined ? '' : ` in ${mode} mode`}`;
}

async function nextOf(
  app: INestApplicationContext,
  state: RecordedBatch,
  { byStatus }: PayoutBatchSums,
): Promise<readonly NextAction[]> {
  const { holder, references, ...whose } = state.request;
  const by = 'service';
  switch (state.status) {
    case 'requested': {
      // It takes each step last: where it is reserved, all are.
      const [reference = ''] = references;
      const stream = payoutStream({ ...whose, reference });
      const first = await app.get(Pipeline).load({ decider: payoutDecider, stream });
      if (first.state.status !== 'reserved')
        return [{ by, what: 'records and reserves its payouts, or rejects it' }];
      const what = `approves or rejects it, any but ${holder}: payout batch approve, payout batch reject`;
      return [{ by: 'person', what }];
    }
    case 'approved': {
      const open = ['pending_approval', 'pending'] as const;
      const count = open.reduce((sum, each) => sum + (byStatus.get(each)?.count ?? 0), 0);
      if (count > 0)
        return [
          { by, what: `sends each payout, once; not settled yet: ${count}, see payout list` },
        ];
      return [{ by: 'nobody', what: 'each of its payouts has come to its end' }];
    }
    case 'rejected':
      return [{ by: 'nobody', what: 'it is rejected, which is final: nothing was sent' }];
    default:
      return assertNever(state);
  }
}

/** What the batch is and what its payouts come to, a line each. */
export function batchSummary({ key, state, sums, events }: BatchCase): readonly string[] {
  const { accountNo, currency, holder } = state.request;
  const { status, count, amountMinor } = payoutBatchViewOf(state);
  const reason = state.status === 'rejected' ? `: ${state.reason}` : '';
  const rows = [...sums.byStatus].map(([each, sum]) => [
    each,
    String(sum.count),
    money(sum.amountMinor, currency),
  ]);
  return [
    `batch ${key.reference}`,
    ...known([
      ['merchant', `${key.merchantId}, ${key.mode} mode, account ${accountNo}`],
      ['status', `${status}${reason}`],
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

/** All that is known of the batch. */
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
    next,
  };
}
