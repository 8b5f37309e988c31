import { DependencyUnavailable, type Mode } from '#domain/kernel';
import { type Queryable } from '#infra/postgres';
import { requireNothingHeldBack } from '#views/view-set';
import { beginsNear } from './items.js';

/** An item, or a posted correction, that a payment of the rail may belong to. */
export interface Bearer {
  readonly stream: string;
  /** Whether the ledger holds, or held, its money. */
  readonly isHere: boolean;
  /** Every one that the rail told for it. */
  readonly receipts: readonly string[];
}

interface Payment {
  readonly receipt: string;
  readonly code?: string;
}

const select = `
  with asked as (select * from unnest($2::text[], $3::text[]) as a (receipt, code)),
  borne as (
    select a.receipt as of, r.position from asked a join receipts r on r.mode = $1 and r.receipt = a.receipt
    union
    select a.receipt, t.position from asked a
    join transactions t on t.mode = $1 and t.account_reference = a.code
    where a.code is not null and ${beginsNear('$4')}
  )
  select b.of, t.stream, t.posted_at is not null as "isHere",
    array(select r.receipt from receipts r where r.mode = t.mode and r.position = t.position) as receipts
  from borne b join transactions t using (position)
  union all
  select a.receipt, c.stream, true, array[c.receipt]
  from asked a join corrections c on c.mode = $1 and c.receipt = a.receipt
  where c.receipt is not null and c.posted_at is not null`;

const selectHeld = `
  select coalesce(fresh_at >= to_timestamp($1::float8 / 1000) + interval '1 minute', false) as held from checkpoint`;

/**
 * Whatever bears the payments' receipts, and the collections of those days that bear their codes.
 * @returns by receipt
 * @param asked `untilMs`: the day's end. What the customers of that day were asked for stands in views that have held all of
 *   the log since
 * @throws DependencyUnavailable where they have not, or something of the mode is held back: either may bear one
 */
export async function findBearers(
  database: Queryable,
  asked: {
    readonly mode: Mode;
    readonly day: string;
    readonly untilMs: number;
    readonly payments: readonly Payment[];
  },
): Promise<ReadonlyMap<string, readonly Bearer[]>> {
  const { mode, day, untilMs, payments } = asked;
  const [row] = await database.query<{ readonly held: boolean }>(selectHeld, [untilMs]);
  if (row?.held !== true)
    throw new DependencyUnavailable('read model', 'it does not hold all of that day yet');
  await requireNothingHeldBack(database, mode);
  const rows = await database.query<Bearer & { readonly of: string }>(select, [
    mode,
    payments.map(({ receipt }) => receipt),
    payments.map(({ code }) => code ?? null),
    day,
  ]);
  return Map.groupBy(rows, ({ of }) => of);
}
