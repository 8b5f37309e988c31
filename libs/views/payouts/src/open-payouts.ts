import { type Minor, type Mode } from '#domain/kernel';
import { PayoutOrders } from '#domain/payouts';
import { type Queryable } from '#infra/postgres';
import { isPaused } from './pauses.js';

/**
 * The step of an open payout, which decides who acts next. The rail may still report a `declined` payout as paid, and
 * also one that it `refused` in its answer to the order.
 */
export type PayoutStep =
  'requested' | 'reserved' | 'approved' | 'started' | 'paid' | 'declined' | 'refused';

export interface OpenPayout {
  readonly stream: string;
  readonly mode: Mode;
  readonly channel: string;
  /** The position of its first event; the next page begins after it. */
  readonly position: bigint;
  /** Absent before it is sent. */
  readonly originatorConversationId: string | null;
}

const selectOpen = {
  name: 'open-payouts-of-step',
  text: `
  select stream, mode, channel, position, originator_conversation_id as "originatorConversationId"
  from open_payouts
  where step = $1 and since <= records.now_() - $2 * interval '1 millisecond' and position > $3
  order by position limit $4`,
};

/**
 * Payouts that have been at a step for this long, oldest first.
 * @param options `after`: the position after which the page begins
 */
export function openPayouts(
  database: Queryable,
  options: {
    readonly step: PayoutStep;
    readonly olderThanMs: number;
    readonly limit: number;
    readonly after?: bigint;
  },
): Promise<OpenPayout[]> {
  const { step, olderThanMs, limit, after = 0n } = options;
  return database.query<OpenPayout>(selectOpen, [step, olderThanMs, after, limit]);
}

/** A payout to be sent to its rail. */
export interface ApprovedPayout extends OpenPayout {
  /** True if it was sent to the rail before: the records contain an answer to its order, or a query about it. */
  readonly wasOrdered: boolean;
}

// A callback arrives only at an address that the rail received with an order.
const wasOrdered = `
  exists (select from records.sealed_messages m where m.stream = o.stream
      and m.kind in ('order_answer', 'result', 'queue_timeout', 'query_answer'))
    or exists (select from records.payout_queries q where q.stream = o.stream and (q.asked > 0 or q.extra_asked > 0))`;

// One statement reads views and records.
const selectApproved = {
  name: 'payouts-approved',
  text: `
  select o.stream, o.mode, o.channel, o.position, null as "originatorConversationId", ${wasOrdered} as "wasOrdered"
  from open_payouts o left join transactions t on t.stream = o.stream
  where o.step = 'approved' and o.mode = $1 and o.channel = $2 and o.position > $3
    and ((t.waiting_since is null or t.amount_minor <= $5) and not ${isPaused} or ${wasOrdered})
  order by o.position limit $4`,
};

/**
 * Payouts to be sent to a rail, oldest first. It leaves out paused payouts, and those that wait for the rail's float
 * until the float covers them: any number may wait, and must not delay the others.
 * @param look `after`: the position after which the page begins; `floatMinor`: the rail's float, if it is known
 */
export function approvedPayouts(
  database: Queryable,
  { mode, channel }: Pick<OpenPayout, 'mode' | 'channel'>,
  look: { readonly after: bigint; readonly limit: number; readonly floatMinor?: Minor | undefined },
): Promise<ApprovedPayout[]> {
  const { after, limit, floatMinor = null } = look;
  const values = [mode, channel, after, limit, floatMinor];
  return database.query<ApprovedPayout>(selectApproved, values);
}

const selectGiven = {
  name: 'payouts-given',
  text: `select stream from unnest($1::text[]) as o (stream) where ${wasOrdered}`,
};

/** The orders in the records. */
export class RecordedPayoutOrders extends PayoutOrders {
  constructor(private readonly database: Queryable) {
    super();
  }

  override async givenOf(streams: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await this.database.query<{ stream: string }>(selectGiven, [streams]);
    return new Set(rows.map(({ stream }) => stream));
  }
}

const selectFloatMissing = {
  name: 'payouts-float-missing',
  text: `
  select o.stream, o.mode, o.channel, o.position, null as "originatorConversationId"
  from open_payouts o join transactions t on t.stream = o.stream
  where o.step = 'approved' and o.position > $2
    and t.waiting_since <= records.now_() - $1 * interval '1 millisecond'
  order by o.position limit $3`,
};

/** Payouts that have waited for the rail's float for this long, oldest first. */
export function payoutsWithoutFloat(
  database: Queryable,
  options: { readonly forMs: number; readonly limit: number; readonly after: bigint },
): Promise<OpenPayout[]> {
  const { forMs, limit, after } = options;
  return database.query<OpenPayout>(selectFloatMissing, [forMs, after, limit]);
}
