import { auditStream, type DaySealed } from '#domain/audit';
import { type EventStore, UnreadableEvent } from '#domain/event-sourcing';
import { type Instant, instantFromMs, msFromInstant } from '#domain/kernel';
import { dayAfter, dayAt, endOfDay } from '#infra/runtime';
import { projectedPrefixes } from '#views/view-set';

/** A day may be sealed 5 minutes after its end (AUD-17). A worker that was down, or a long day, may take an hour more. */
const allowedMs = 3_900_000;

/** The zone in which a day ends last: without a head, the zone of a log is not known. */
const lastZone = 'Etc/GMT+12';

/** The newest head of the log, or its first event; neither if it is empty. */
export interface SealedSoFar {
  readonly sealed?: { readonly date: string; readonly timezone: string } | undefined;
  readonly firstAt?: Instant | undefined;
}

/** The next day to seal, and the time since which it is overdue; undefined if it is not (AUD-30). */
export interface OverdueSeal {
  readonly date: string;
  readonly since: Instant;
}

export function overdueSeal(
  { sealed, firstAt }: SealedSoFar,
  nowMs: number,
): OverdueSeal | undefined {
  const timezone = sealed?.timezone ?? lastZone;
  const first = firstAt && dayAt(msFromInstant(firstAt), timezone);
  const date = sealed ? dayAfter(sealed.date) : first;
  if (date === undefined) return undefined;
  const sinceMs = msFromInstant(endOfDay(date, timezone)) + allowedMs;
  return nowMs < sinceMs ? undefined : { date, since: instantFromMs(sinceMs) };
}

/**
 * Reads the log and does not ask the sealing process, so that an absent process hides nothing. @throws
 * EventStoreUnavailable
 */
export async function readSealedSoFar(
  store: Pick<EventStore, 'readLast' | 'readAll'>,
): Promise<SealedSoFar & { readonly last?: DaySealed['data'] }> {
  const last = await store.readLast<DaySealed>(auditStream);
  if (last) return { sealed: last.data, last: last.data };
  return { firstAt: await firstRecordedAt(store) };
}

async function firstRecordedAt(store: Pick<EventStore, 'readAll'>): Promise<Instant | undefined> {
  try {
    for await (const { recordedAt } of store.readAll('start', projectedPrefixes)) return recordedAt;
    return undefined;
  } catch (error) {
    if (error instanceof UnreadableEvent) return error.place.recordedAt;
    throw error;
  }
}
