import { type Queryable } from '#infra/postgres';
import { owedForDays, owedFrom, notifySenders, webhookKey } from './project.js';

/** Two sets of views, by their schemas. */
export interface TwoSets {
  readonly serving: string;
  /** The one that is to serve. */
  readonly other: string;
}

/** Maximum number per statement, so that each takes a moment, however much is owed. */
const owedPage = 2000;

const selectQuarantined = ({ serving, other }: TwoSets): string => `
  select merchant_id, modes.mode, min(applied_to) as applied_to,
    (select max(sequence) from ${other}.webhook_events known
      where known.merchant_id = held.merchant_id and known.mode = modes.mode) as last
  from ${serving}.quarantines held join (values ('live'), ('demo')) modes (mode) on scope in (modes.mode, 'merchant')
  group by merchant_id, modes.mode order by merchant_id, modes.mode`;
const selectKnown = ({ other }: TwoSets): string => `
  select sequence, position > $4 and recorded_at > records.now_() - ${owedForDays} * interval '1 day' as held
  from ${other}.webhook_events where merchant_id = $1 and mode = $2 and sequence <= $3
  order by sequence desc limit 1`;
const owePage = ({ other }: TwoSets): string => `
  with page as materialized (
    select merchant_id, mode, sequence, id, type, position, recorded_at, callback_url from ${other}.webhook_events
    where merchant_id = $1 and mode = $2 and sequence > $3
    order by sequence limit ${owedPage}
  ), ${owedFrom('page', `${other}.webhook_endpoints`)}
  select max(sequence) as last, (${notifySenders}) from page`;

interface QuarantinedMode {
  readonly merchant_id: string;
  readonly mode: string;
  readonly applied_to: bigint;
  /** The last number in the other set; null if it has none. */
  readonly last: bigint | null;
}

/**
 * Adds the webhooks to the records that are owed to merchants quarantined in the serving set and not, or only later, in
 * the other one. The serving set has not owed them, and never will once the other one serves. Numbers and bytes follow
 * from the log, so they are those that the serving set would have given.
 * @param owedTo by `webhookKey`, the number up to which an earlier call has come; it is updated
 */
export async function oweQuarantined(
  database: Queryable,
  sets: TwoSets,
  owedTo: Map<string, bigint>,
): Promise<void> {
  for (const held of await database.query<QuarantinedMode>(selectQuarantined(sets))) {
    const { merchant_id, mode } = held;
    const key = webhookKey(merchant_id, mode);
    let done: bigint | null = owedTo.get(key) ?? (await lastOwed(database, sets, held));
    while (done !== null) {
      owedTo.set(key, done);
      const values: readonly unknown[] = [merchant_id, mode, done];
      const [page]: { last: bigint | null }[] = await database.query(owePage(sets), values);
      done = page?.last ?? null;
    }
  }
}

/** The last number that the serving set has owed or that is too old. Found by bisection, since numbers follow the log. */
async function lastOwed(
  database: Queryable,
  sets: TwoSets,
  { merchant_id, mode, applied_to, last }: QuarantinedMode,
): Promise<bigint> {
  let [told, max] = [0n, last ?? 0n];
  while (told < max) {
    const middle = (told + max + 1n) / 2n;
    const [known] = await database.query<{ sequence: bigint; held: boolean }>(selectKnown(sets), [
      ...[merchant_id, mode, middle, applied_to],
    ]);
    if (known?.held === true) max = known.sequence - 1n;
    else told = middle;
  }
  return told;
}
