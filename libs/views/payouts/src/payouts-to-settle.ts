import { type Queryable } from '#infra/postgres';

const selectPayouts = {
  name: 'payouts-to-settle',
  text: `
  select stream from (
    select o.stream, o.since from open_payouts o join transactions t on t.stream = o.stream
    where o.step in ('requested', 'paid') and (o.step = 'paid' or t.batch_reference is null and not t.under_review)
    union
    select t.stream, r.reserved_at
    from open_reservations r
    join transactions t on t.stream = split_part(r.source, '~late', 1)
    where r.source like 'payout-%' and (t.status = 'failed' or t.status = 'rejected' and not t.under_review)
    union
    select r.stream, r.since
    from open_refunds r join transactions t using (stream)
    where t.status in ('completed', 'failed') or t.status = 'rejected' and not t.under_review
  ) left_behind
  where since <= records.now_() - $1 * interval '1 millisecond' and stream > $3
  group by stream order by stream limit $2`,
};

const selectBatches = {
  name: 'payout-batches-to-settle',
  text: `
  select b.stream from payout_batches b
  cross join lateral (
    select count(*) as payouts from transactions t join reviews r on r.stream = t.stream
    where t.merchant_id = split_part(b.stream, ':', 2) and t.mode = b.mode
      and t.batch_reference = substring(b.stream from ':batch~(.+)$') and r.why = 'given_before'
  ) kept
  where b.behind and b.since <= records.now_() - $1 * interval '1 millisecond' and b.stream > $3
    and case b.step when 'requested' then kept.payouts = 0
      when 'rejected' then b.rejected + kept.payouts < b.recorded else true end
  order by b.stream limit $2`,
};

/** `after`: the stream after which the page begins. */
interface Page {
  readonly olderThanMs: number;
  readonly limit: number;
  readonly after?: string;
}

/**
 * The streams of payouts that lack a step between them and their wallet's reservations: a request without its funds, a
 * reservation without a payout, or a late success without its posting. A refund also lacks a step while its claim on the
 * collection has not ended. In the order of their names. Payouts that a
 * batch has not reserved yet are found with the batch (`payoutBatchesToSettle`). A payout under review because the rail
 * already had it (PAY-61) lacks nothing: the decision on it takes its step.
 */
export function payoutsToSettle(database: Queryable, page: Page): Promise<string[]> {
  return streamsOf(database, selectPayouts, page);
}

/**
 * The streams of batches whose payouts have not followed them for this long, in the order of their names. A batch does
 * not wait for a payout under review (PAY-61): the decision on it takes its step.
 */
export function payoutBatchesToSettle(database: Queryable, page: Page): Promise<string[]> {
  return streamsOf(database, selectBatches, page);
}

async function streamsOf(
  database: Queryable,
  statement: typeof selectPayouts,
  { olderThanMs, limit, after = '' }: Page,
): Promise<string[]> {
  const values = [olderThanMs, limit, after];
  const rows = await database.query<{ stream: string }>(statement, values);
  return rows.map(({ stream }) => stream);
}
