import { type Instant, instantFromMs, type Minor, type Mode } from '#domain/kernel';
import { type Queryable } from '#infra/postgres';
import { type PayoutStep } from './open-payouts.js';
import { isPaused } from './pauses.js';

/** A payout that is not final. Amounts in minor units. */
export interface UnsettledPayout {
  readonly merchantId: string;
  readonly mode: Mode;
  readonly reference: string;
  readonly status: string;
  readonly step: PayoutStep;
  readonly since: Instant;
  readonly amountMinor: Minor;
  readonly currency: string;
  readonly accountNo: string;
  readonly batch: string | null;
  readonly waitingForFloat: boolean;
  readonly isPaused: boolean;
  readonly underReview: boolean;
}

interface UnsettledRow extends Omit<UnsettledPayout, 'since'> {
  readonly since: Date;
}

const selectUnsettled = {
  name: 'payouts-unsettled',
  text: `
  select t.merchant_id as "merchantId", t.mode, t.reference, t.status, o.step, o.since,
    t.amount_minor as "amountMinor", t.currency, t.account_no as "accountNo", t.batch_reference as batch,
    t.waiting_since is not null and o.step = 'approved' as "waitingForFloat",
    o.step = 'approved' and ${isPaused} as "isPaused",
    t.under_review as "underReview"
  from open_payouts o join transactions t on t.stream = o.stream
  where o.step not in ('declined', 'refused')
    and ($1::text is null or t.merchant_id = $1)
    and ($2::text is null or o.mode = $2)
    and ($3::text is null or t.status = $3)
  order by o.position limit $4`,
};

/** Payouts that are not final, oldest first. */
export async function listUnsettledPayouts(
  database: Queryable,
  filter: {
    readonly merchantId?: string;
    readonly mode?: Mode;
    readonly status?: string;
    readonly limit: number;
  },
): Promise<readonly UnsettledPayout[]> {
  const { merchantId = null, mode = null, status = null, limit } = filter;
  const values = [merchantId, mode, status, limit];
  const rows = await database.query<UnsettledRow>(selectUnsettled, values);
  return rows.map((row) => ({ ...row, since: instantFromMs(row.since.getTime()) }));
}

/** The number of payouts that wait for the rail's result or its float. */
export interface WaitingPayouts {
  /** 10,000 means at least that many. */
  readonly forRail: number;
  /** The age of the one that was sent first; 0 if none waits. */
  readonly oldestSeconds: number;
  readonly forFloat: number;
  readonly paused: number;
  /** Seconds since the oldest pause; 0 if nothing is paused, whether or not a payout waits. */
  readonly pausedSeconds: number;
  /** Seconds since the first approval of payouts that are neither paused nor wait for the float; 0 if there are none. */
  readonly unsentSeconds: number;
}

const selectWaiting = {
  name: 'payouts-waiting',
  text: `
  select
    (select count(*)::integer from (select from open_payouts where step = 'started' limit 10000) sent)
      as "forRail",
    (select coalesce(extract(epoch from records.now_() - min(since)), 0)::float8
      from open_payouts where step = 'started') as "oldestSeconds",
    (select count(*)::integer from open_payouts o join transactions t on t.stream = o.stream
      where o.step = 'approved' and t.waiting_since is not null) as "forFloat",
    (select coalesce(extract(epoch from records.now_() - min(o.since)), 0)::float8
      from open_payouts o join transactions t on t.stream = o.stream
      where o.step = 'approved' and t.waiting_since is null and not ${isPaused}) as "unsentSeconds",
    (select count(*)::integer from open_payouts o join transactions t on t.stream = o.stream
      where o.step = 'approved' and ${isPaused}) as paused,
    (select coalesce(extract(epoch from records.now_() - min(since)), 0)::float8
      from payout_pauses) as "pausedSeconds"`,
};

/** @throws DependencyUnavailable */
export async function waitingPayouts(database: Queryable): Promise<WaitingPayouts> {
  const [row] = await database.query<WaitingPayouts>(selectWaiting);
  const none = { forRail: 0, oldestSeconds: 0, forFloat: 0, paused: 0, pausedSeconds: 0 };
  return row ?? { ...none, unsentSeconds: 0 };
}
