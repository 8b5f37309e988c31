import { type Queryable } from '#infra/postgres';

/** The last claim that was read; claims are read in the order of their times. */
export interface ClaimPlace {
  readonly at: Date;
  readonly railReference: string;
}

interface Shared {
  /** In the order of their names. */
  readonly streams: readonly string[];
  /** Undefined after the last claim: the next call begins again. */
  readonly place: ClaimPlace | undefined;
}

interface SharedRow {
  readonly streams: readonly string[];
  readonly count: number;
  readonly at: Date | null;
  readonly railReference: string | null;
}

// A collection posted under a claim may have no id of its own: its push was not answered, and an untrusted sender named
// the id.
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
 * The collections that share a checkout id, or of which one was posted under the other's. It covers two kinds of ids.
 * The first were posted under on a query's answer: that looked for other bearers, but may have missed one that the view
 * did not know yet. The second were posted under by a callback without a receipt. An id that callbacks with receipts
 * settled has no claim, since each names its payment.
 * @param look `forMs`: maximum age of claims; `after`: the claim after which to begin; `claims`: their maximum number
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
