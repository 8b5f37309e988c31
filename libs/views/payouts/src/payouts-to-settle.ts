import { type Queryable } from '#infra/postgres';

const selectToSettle = {
  name: 'payouts-to-settle',
  text: `
  select stream from (
    select o.stream, o.since from open_payouts o join transactions t on t.stream = o.stream
    where o.step in ('requested', 'paid') and (o.step = 'paid' or t.batch_reference is null)
    union
    select t.stream, r.reserved_at
    from open_reservations r
    join transactions t on t.stream = split_part(r.source, '~late', 1)
    where r.source like 'payout-%' and t.status in ('rejected', 'failed')
  ) left_behind
  where since <= records.now_() - $1 * interval '1 millisecond' and stream > $3
  group by stream order by stream limit $2`,
};

/**
 * The streams of payouts that lack a step between them and their wallet's reservations: a request without its funds, a
 * reservation that nothing stands for any more, a late success without its posting. By their names. What a batch has not
 * reserved yet is found with it (`payoutBatchesToSettle`).
 * @param page `after`: the stream after which the page begins
 */
export async function payoutsToSettle(
  database: Queryable,
  page: { readonly olderThanMs: number; readonly limit: number; readonly after?: string },
): Promise<string[]> {
  const { olderThanMs, limit, after = '' } = page;
  const values = [olderThanMs, limit, after];
  const rows = await database.query<{ stream: string }>(selectToSettle, values);
  return rows.map(({ stream }) => stream);
}
