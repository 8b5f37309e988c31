import { type Queryable } from '#infra/postgres';

export interface RetainedNumber {
  /** The payout's stream and the number's digest. */
  readonly id: string;
  readonly stream: string;
  /**
   * The reason to keep or to delete the number:
   * - `over`: nothing will be sent for the payout any more.
   * - `not_its_own`: the payout was recorded with another number.
   * - `unknown`: the view, which may lag, has no such payout.
   * - `needed`: it may still be sent.
   */
  readonly standing: 'over' | 'not_its_own' | 'unknown' | 'needed';
  /** True if it was stored longer ago than any request takes. */
  readonly isOld: boolean;
}

const selectRetainedNumbers = {
  name: 'payout-numbers-kept',
  text: `
  select p.id, p.stream, p.kept_at < records.now_() - $2 * interval '1 millisecond' as "isOld",
    case when t.stream is null then 'unknown'
      when t.status in ('completed', 'failed', 'rejected') then 'over'
      when p.id <> p.stream || ' ' || t.phone_hmac then 'not_its_own'
      else 'needed' end as standing
  from records.payout_phones p left join transactions t on t.stream = p.stream
  where p.id > $1 order by p.id limit $3`,
};

/** The numbers in the records, with the view's status of their payouts; a page in the order of ids. */
export function retainedNumbers(
  database: Queryable,
  options: { readonly after: string; readonly oldAfterMs: number; readonly limit: number },
): Promise<RetainedNumber[]> {
  const { after, oldAfterMs, limit } = options;
  return database.query<RetainedNumber>(selectRetainedNumbers, [after, oldAfterMs, limit]);
}
