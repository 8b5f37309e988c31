import { type Queryable } from '#infra/postgres';
import { type OpenPayout } from './open-payouts.js';

const dayMs = 86_400_000;

interface AskablePayout extends Pick<OpenPayout, 'stream' | 'mode' | 'channel'> {
  readonly originatorConversationId: string;
  /** True if the rail reverses a customer's payment. */
  readonly isReversal: boolean;
  /** True for a question outside the schedule, after a report that settled nothing. */
  readonly isExtra: boolean;
  /** The number of questions of this kind so far. */
  readonly asked: number;
}

/** The gap after an extra question: it doubles each time, from the minimum to the maximum. */
const extraGap = `least($6::float8, $5::float8 * 2 ^ least(q.extra_asked, 30)) * interval '1 millisecond'`;

// If a payout was sent after its last question, that question belongs to a history that the log has lost. The rail's
// answer for this payout is unknown. The answer in the lost history may have postponed the next question by the last
// gap.
const selectToAskAbout = {
  name: 'payouts-to-ask-about',
  text: `
  select stream, mode, channel, originator_conversation_id as "originatorConversationId",
    exists (select from transactions t where t.stream = askable.stream and t.reverses_receipt is not null)
      as "isReversal",
    "isExtra", asked
  from (
    select o.stream, o.mode, o.channel, o.step, o.originator_conversation_id, false as "isExtra",
      coalesce(q.asked, 0) as asked,
      case when (o.step = 'started' or q.asked >= $2) and q.asked_at < o.since
        then least(q.due_at, o.since + $1 * interval '1 millisecond')
        else coalesce(q.due_at, o.since + $1 * interval '1 millisecond') end as due_at
    from open_payouts o left join records.payout_queries q on q.stream = o.stream
    where o.mode = $9 and o.channel = $10 and (o.step = 'started'
      or o.step = 'declined' and (o.since > records.now_() - $4 * interval '1 millisecond'
        or coalesce(q.asked, 0) < $2 and o.since > records.now_() - $3 * interval '1 millisecond')
      or o.step = 'refused' and q.asked < $2 and o.since > records.now_() - $7 * interval '1 millisecond')
    union all
    select o.stream, o.mode, o.channel, o.step, o.originator_conversation_id, true, q.extra_asked,
      greatest(q.asked_at + $5 * interval '1 millisecond', q.extra_asked_at + ${extraGap}, '-infinity')
    from records.payout_queries q join open_payouts o on o.stream = q.stream
    where o.mode = $9 and o.channel = $10 and q.extra_until > records.now_() and (o.step = 'started'
      or o.step in ('declined', 'refused') and o.since > records.now_() - $7 * interval '1 millisecond')
  ) askable
  where originator_conversation_id is not null and due_at <= records.now_()
  order by "isExtra", step <> 'started', due_at limit $8`,
};

/**
 * Payouts of a rail's mode about which the rail is to be asked now: first those without a result, then declined ones. A declined payout
 * stays until the last delay after the decline has passed and all queries were made (PAY-30). A payout that the rail refused in its answer
 * to the order joins the schedule once a report called for a query (PAY-60). Those that have been due longest come
 * first; extra queries come after the schedule's (PAY-38).
 * @param options `queryDelaysMs`: RAIL_QUERY_DELAYS. `extra`: the minimum and maximum gap between two extra queries
 *   about a payout, and the time after its decline for which they are made
 */
export function payoutsToAskAbout(
  database: Queryable,
  { mode, channel }: Pick<OpenPayout, 'mode' | 'channel'>,
  options: {
    readonly queryDelaysMs: readonly number[];
    readonly extra: { readonly minMs: number; readonly maxMs: number; readonly forMs: number };
    readonly limit: number;
  },
): Promise<AskablePayout[]> {
  const { queryDelaysMs, extra, limit } = options;
  const lastMs = queryDelaysMs.at(-1) ?? 0;
  // A declined payout twice as old was left while no worker ran; its number of questions decides, not its age.
  const lookedForMs = 2 * lastMs + dayMs;
  const { minMs, maxMs, forMs } = extra;
  return database.query<AskablePayout>(selectToAskAbout, [
    ...[queryDelaysMs[0] ?? 0, queryDelaysMs.length, lookedForMs, lastMs],
    ...[minMs, maxMs, forMs, limit, mode, channel],
  ]);
}
