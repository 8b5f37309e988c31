import { type Instant, instantFromMs, type Minor, type Mode } from '#domain/kernel';
import { type PayoutBatchKey, payoutBatchKeyOf, type PayoutStatus } from '#domain/payouts';
import { type BatchStep } from './batches.js';
import { type Queryable } from '#infra/postgres';
import {
  ownServability,
  type OwnServability,
  type ReadBound,
  requireOwnServable,
} from '#views/view-set';

/** Counts and sums of a batch's payouts, by status. */
export interface PayoutBatchSums {
  readonly byStatus: ReadonlyMap<
    PayoutStatus,
    { readonly count: number; readonly amountMinor: Minor }
  >;
  /** The log position that the sums reflect, and the time at which it was the end of the log. */
  readonly position: bigint;
  readonly asOf: Instant;
}

type SumRow = OwnServability & {
  readonly ledger_position: bigint;
  readonly fresh_at: Date;
  readonly status: PayoutStatus | null;
  readonly count: number;
  readonly amount_minor: Minor;
};

const selectSums = {
  name: 'payout-batch-sums',
  text: `
  select c.position as ledger_position, ${ownServability({ merchant: '$1', mode: '$2' })},
    t.status, t.count, t.amount_minor
  from checkpoint c
  left join lateral (
    select status, count(*)::integer as count, sum(amount_minor)::bigint as amount_minor
    from transactions
    where merchant_id = $1 and mode = $2 and batch_reference = $3
    group by status
  ) t on true`,
};

/** @throws DependencyUnavailable if the views are being built or too old */
export async function payoutBatchSums(
  database: Queryable,
  batch: { readonly merchantId: string; readonly mode: Mode; readonly reference: string },
  bound: ReadBound,
): Promise<PayoutBatchSums> {
  const { merchantId, mode, reference } = batch;
  const rows = await database.query<SumRow>(selectSums, [merchantId, mode, reference]);
  const { ledger_position: position, fresh_at } = requireOwnServable(rows[0], bound);
  const found = rows.flatMap(({ status, count, amount_minor: amountMinor }) =>
    status === null ? [] : [[status, { count, amountMinor }] as const],
  );
  return { byStatus: new Map(found), position, asOf: instantFromMs(fresh_at.getTime()) };
}

/** A batch that still needs work. Amounts in minor units. */
export interface UnsettledBatch {
  readonly key: PayoutBatchKey;
  /** The last step of the batch's own stream, and its time. */
  readonly step: 'requested' | BatchStep;
  readonly since: Instant;
  readonly count: number;
  /** True if its payouts have not followed its last step yet. */
  readonly behind: boolean;
  /** The number of its payouts that are not settled, and of those that a person must decide. */
  readonly unsettled: number;
  readonly underReview: number;
  /** The sum of its payouts, without fees. This and the fields below are null until a payout is recorded. */
  readonly amountMinor: Minor | null;
  readonly currency: string | null;
  readonly accountNo: string | null;
}

interface UnsettledRow extends Omit<UnsettledBatch, 'key' | 'since'> {
  readonly stream: string;
  readonly since: Date;
}

const selectUnsettled = {
  name: 'payout-batches-unsettled',
  text: `
  with open as (
    select t.merchant_id, t.mode, t.batch_reference as reference,
      count(*)::integer as unsettled, count(*) filter (where t.under_review)::integer as under_review
    from open_payouts o join transactions t on t.stream = o.stream
    where o.step not in ('declined', 'refused') and t.batch_reference is not null
    group by 1, 2, 3
  ), batches as (
    select b.*, split_part(b.stream, ':', 2) as merchant_id, split_part(b.stream, ':batch~', 2) as reference
    from payout_batches b
    where ($1::text is null or split_part(b.stream, ':', 2) = $1)
      and ($2::text is null or b.mode = $2)
      and ($3::text is null or b.step = $3)
  )
  select b.stream, b.step, b.since, b.items as count, b.behind,
    coalesce(o.unsettled, 0) as unsettled, coalesce(o.under_review, 0) as "underReview",
    t.amount_minor as "amountMinor", t.currency, t.account_no as "accountNo"
  from batches b left join open o using (merchant_id, mode, reference)
  cross join lateral (
    select sum(amount_minor)::bigint as amount_minor, min(currency) as currency, min(account_no) as account_no
    from transactions
    where merchant_id = b.merchant_id and mode = b.mode and batch_reference = b.reference
  ) t
  where b.step = 'requested' or b.behind or o.unsettled > 0
  order by b.since limit $4`,
};

/**
 * Batches that wait for a decision, or have a payout that is not settled, for a person; those longest in their state
 * first.
 */
export async function listUnsettledBatches(
  database: Queryable,
  filter: {
    readonly merchantId?: string;
    readonly mode?: Mode;
    readonly step?: UnsettledBatch['step'];
    readonly limit: number;
  },
): Promise<readonly UnsettledBatch[]> {
  const { merchantId = null, mode = null, step = null, limit } = filter;
  const rows = await database.query<UnsettledRow>(selectUnsettled, [merchantId, mode, step, limit]);
  return rows.map(({ stream, since, ...row }) => {
    const key = payoutBatchKeyOf(stream);
    if (!key) throw new TypeError(`${stream} is no batch's`);
    return { key, since: instantFromMs(since.getTime()), ...row };
  });
}

// One look-up for each merchant, along the index of streams.
const byReference = `
  select b.stream
  from merchants m
  cross join (values ('live'), ('demo')) as modes (mode)
  join payout_batches b
    on b.stream = 'payout-' || modes.mode || ':' || m.merchant_id || ':batch~' || $1
  order by b.since desc
  limit 20`;

/** The batches with a merchant's reference, of any merchant and mode; newest first. */
export async function findBatchesByReference(
  database: Queryable,
  reference: string,
): Promise<readonly PayoutBatchKey[]> {
  const rows = await database.query<{ stream: string }>(byReference, [reference]);
  return rows.flatMap(({ stream }) => payoutBatchKeyOf(stream) ?? []);
}
