import {
  deleteExpiredTokens,
  deleteOldClaims,
  deleteOldInboxEntries,
  deleteOldRailMessages,
  deleteOldUnopenedCallbacks,
  type Queryable,
} from '#postgres';

const dayMs = 86_400_000;

/** How long the records are kept (contract/decisions.md §3 and §8). */
const keptMs = {
  idempotencyClaims: 30 * dayMs,
  inboxEntries: 90 * dayMs,
  unopenedOfRail: 90 * dayMs,
  /** Longer than any rotation takes, and than a collection waits for its callback. */
  unopenedOfOthers: 3 * dayMs,
  railMessages: 7 * 366 * dayMs,
} as const;

/**
 * Deletes a bounded batch of what is kept no longer. Several workers may do it at once.
 * @returns `busy` while there is more
 */
export async function keepHouse(database: Queryable): Promise<'idle' | 'busy'> {
  const deleted = [
    await deleteExpiredTokens(database),
    await deleteOldClaims(database, keptMs.idempotencyClaims),
    await deleteOldInboxEntries(database, keptMs.inboxEntries),
    await deleteOldRailMessages(database, keptMs.railMessages),
    await deleteOldUnopenedCallbacks(database, { fromRail: true, ageMs: keptMs.unopenedOfRail }),
    await deleteOldUnopenedCallbacks(database, {
      fromRail: false,
      ageMs: keptMs.unopenedOfOthers,
    }),
  ];
  return deleted.some((rows) => rows > 0) ? 'busy' : 'idle';
}
