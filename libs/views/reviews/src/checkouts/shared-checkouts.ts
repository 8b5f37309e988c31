import { type Queryable } from '#infra/postgres';

/** Up to which claim was looked: they are gone through in the order of their times. */
export interface ClaimPlace {
  readonly at: Date;
  readonly railReference: string;
}

interface Shared {
  /** By their names. */
  readonly streams: readonly string[];
  /** Undefined behind the last claim: the next look begins again. */
  readonly place: ClaimPlace | undefined;
}

interface SharedRow {
  readonly streams: readonly string[];
  readonly count: number;
  readonly at: Date | null;
  readonly railReference: string | null;
}

// What was posted under a claim may bear no id of its own: its push was not answered, and an untrusted sender named the id.
const select = {
  name: 'shared-checkouts',
  text: `
  with page as (
    select channel, mode, rail_reference, stream, confirmed_at from records.confirmed_checkouts
    where confirmed_at > records.now_() - $1 * interval '1 millisecond'
      and ($2::timestamptz is null or (confirmed_at, rail_reference) > ($2, $3))
    order by confirmed_at, rail_reference limit $4
  ), bearers as (
    select stream, count(*) over (partition by channel, mode, rail_reference) as count
    from (
      select p.channel, p.mode, p.rail_reference, t.stream
      from page p join rail_references r using (mode, rail_reference) join transactions t using (position)
      where t.channel = p.channel and t.type = 'collection'
      union
      select p.channel, p.mode, p.rail_reference, p.stream
      from page p join transactions t using (stream)
      where t.posted_at is not null
    ) known
  )
  select
    array(select distinct stream from bearers where count > 1 order by stream) as streams,
    (select count(*)::integer from page) as count, last.confirmed_at as at,
    last.rail_reference as "railReference"
  from (values (1)) one
  left join (select * from page order by confirmed_at desc, rail_reference desc limit 1) last on true`,
};

/**
 * The collections that have a checkout id in common, or of which one was posted under the other's: of those ids that
 * something was posted under on a query's answer, which looked for other bearers and may not have found one that the view
 * did not know yet, and of those that a callback without a receipt was posted under. An id that callbacks with receipts
 * settled has no claim: each names its payment.
 * @param look `forMs`: of claims that are no older; `after`: behind which claim; `claims`: how many of them
 */
export async function sharedCheckouts(
  database: Queryable,
  look: {
    readonly forMs: number;
    readonly after: ClaimPlace | undefined;
    readonly claims: number;
  },
): Promise<Shared> {
  const { forMs, after, claims } = look;
  const values = [forMs, after?.at ?? null, after?.railReference ?? null, claims];
  const [row] = await database.query<SharedRow>(select, values);
  const { streams = [], count = 0, at = null, railReference = null } = row ?? {};
  const isLast = count < claims || at === null || railReference === null;
  return { streams, place: isLast ? undefined : { at, railReference } };
}
