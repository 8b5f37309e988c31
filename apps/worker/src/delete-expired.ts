import {
  deleteExpiredTokens,
  deleteOldCheckoutClaims,
  deleteOldClaims,
  deleteOldInboxEntries,
  deleteOldRailMessages,
  deleteOldRailQueryAttempts,
  deleteOldUnopenedCallbacks,
  deleteOldV3Counts,
} from '#adapters/records';
import { type Queryable } from '#infra/postgres';

const dayMs = 86_400_000;

/** How long the records are kept; docs/how-to/watch-the-worker.md lists all of them. */
const keptMs = {
  idempotencyClaims: 30 * dayMs,
  inboxEntries: 90 * dayMs,
  unopenedOfRail: 90 * dayMs,
  /** Longer than any rotation takes, and than a collection waits for its callback. */
  unopenedOfOthers: 3 * dayMs,
} as const;
/** More than any report of V3's use looks back. */
const v3CountDays = 400;

/** What the settings say of it. */
export interface Retention {
  /** RAIL_MESSAGE_RETENTION. */
  readonly railMessagesMs: number;
  /** RAIL_REVIEW_AFTER: until then, and a day longer, a collection is asked about. */
  readonly reviewAfterMs: number;
}

/**
 * Deletes a bounded batch of what is kept no longer. Several workers may do it at once.
 * @returns `busy` while there is more
 */
export async function deleteExpired(
  database: Queryable,
  { railMessagesMs, reviewAfterMs }: Retention,
): Promise<'idle' | 'busy'> {
  const deleted = [
    await deleteExpiredTokens(database),
    await deleteOldClaims(database, keptMs.idempotencyClaims),
    await deleteOldInboxEntries(database, keptMs.inboxEntries),
    await deleteOldRailMessages(database, railMessagesMs),
    // As long as the bytes that they stand for; then no rail answers about their ids any more.
    await deleteOldCheckoutClaims(database, railMessagesMs),
    await deleteOldRailQueryAttempts(database, reviewAfterMs + keptMs.inboxEntries),
    await deleteOldV3Counts(database, v3CountDays),
    await deleteOldUnopenedCallbacks(database, { fromRail: true, ageMs: keptMs.unopenedOfRail }),
    await deleteOldUnopenedCallbacks(database, {
      fromRail: false,
      ageMs: keptMs.unopenedOfOthers,
    }),
  ];
  return deleted.some((rows) => rows > 0) ? 'busy' : 'idle';
}
