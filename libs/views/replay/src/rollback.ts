import { type Position } from '#domain/event-sourcing';
import { type Queryable } from '#infra/postgres';
import { beginReplay, forgetKept, noteDropped } from './records.js';
import { buildingSchema, keptSchema, listViewSets, standingOf } from './sets.js';
import { whileAligned } from './alignment.js';
import { catchUp, withFollowing } from './building.js';
import { ReplayRefused } from './refusals.js';
import {
  underLease,
  positionIn,
  type ReplayOptions,
  requireServing,
  type Work,
} from './replay-work.js';
import { oweBeforeSwap, retryWhileAway, settle, swap, confirmedSwap } from './swap.js';

/**
 * Lets a kept set serve again. It has not advanced since its swap, so it catches up first.
 * @param how `schema`: the kept set, by default the last one. `acceptsStandstill`: also if it has quarantined merchants
 *   that the serving set does not have
 * @throws ReplayRefused, SwapUnknown, DependencyUnavailable
 */
export function rollback(
  options: ReplayOptions,
  how: { readonly schema?: string | undefined; readonly acceptsStandstill?: boolean } = {},
): Promise<{ readonly schema: string; readonly position: Position; readonly keptAs: string }> {
  return underLease(options, async (work) => {
    const { database } = work;
    const { serving, by } = options;
    await requireServing(work);
    const kept = await keptSet(work, how.schema);
    const requireNoStandstill = async (within: Queryable) => {
      if (how.acceptsStandstill !== true) await requireAllGoOn(within, { serving, kept });
    };
    if (await standingOf(database, buildingSchema(serving)))
      throw new ReplayRefused(
        `a replay is half done: finish it with replay, or give it up with replay drop ${buildingSchema(serving)}`,
      );
    const from = await positionIn(database, kept);
    return withFollowing(work, kept, async (set) => {
      await catchUp(work, set);
      await requireNoStandstill(database);
      const owedTo = await oweBeforeSwap(work, kept);
      const done = await confirmedSwap(work, async (begun) => {
        await whileAligned(work, set, async (transaction, at) => {
          await requireNoStandstill(transaction);
          await noteDropped(transaction, serving);
          const begins = { schema: serving, kind: 'rollback', by, fromPosition: from } as const;
          const id = await beginReplay(transaction, begins);
          begun(id);
          const keptAs = keptSchema(serving, id);
          await forgetKept(transaction, kept);
          await swap(work, transaction, { id, at, from: kept, keptAs, set, owedTo });
        });
      });
      await retryWhileAway(work, () => settle(work));
      return { schema: kept, ...done };
    });
  });
}

async function keptSet({ options: { serving }, database }: Work, asked?: string): Promise<string> {
  const sets = await listViewSets(database, serving);
  const kept = sets.filter(({ state }) => state === 'kept');
  const numberOf = (schema: string): number => Number(schema.slice(serving.length + 6));
  const [newest] = kept.map(({ schema }) => schema).sort((a, b) => numberOf(b) - numberOf(a));
  if (newest === undefined)
    throw new ReplayRefused('no set of views is kept: there is nothing to go back to');
  if (asked === undefined) return newest;
  if (!kept.some(({ schema }) => schema === asked))
    throw new ReplayRefused(`${asked} is not a kept set of views: see replay list`);
  return asked;
}

/** Maximum number of merchants that the message names. */
const maxStandstills = 5;

/** @throws ReplayRefused if the kept set has quarantined merchants that the serving one does not have */
async function requireAllGoOn(
  database: Queryable,
  { serving, kept }: { readonly serving: string; readonly kept: string },
): Promise<void> {
  const rows = await database.query<{ merchant: string }>(`
    select distinct k.merchant_id as merchant from ${kept}.quarantines k
    where not exists (select from ${serving}.quarantines s
      where s.merchant_id = k.merchant_id and s.scope in (k.scope, 'merchant'))
    order by merchant`);
  if (rows.length === 0) return;
  const named = rows.slice(0, maxStandstills).map(({ merchant }) => merchant);
  const more = rows.length > named.length ? ` and ${rows.length - named.length} more` : '';
  throw new ReplayRefused(
    `in ${kept} the views of merchant ${named.join(', ')}${more} stand still, whose reads would answer 503: roll back all the same with replay rollback --accept-standstill`,
  );
}
