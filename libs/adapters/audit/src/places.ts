import {
  isPosting,
  leafHash,
  leafText,
  type LegsPlace,
  postingOf,
  type Posting,
  type StoredRecord,
} from '#domain/audit';
import { collectionKeyOf } from '#domain/collections';
import { type EventStore, type RecordedEvent } from '#domain/event-sourcing';
import { payoutKeyOf } from '#domain/payouts';
import { sha256 } from '#shared/signing';

/** The first event of a stream, to whoever has to know a collection's currency. */
type FirstEvent = (stream: string) => Promise<RecordedEvent | undefined>;

/** First events as the store has them. @throws EventStoreUnavailable */
export function firstEventIn(store: Pick<EventStore, 'readStream'>): FirstEvent {
  return async (stream) => (await store.readStream(stream, 0n, 1))[0];
}

/** A posting with its leaf's hash. */
export interface Leaf {
  readonly posting: Posting;
  readonly hash: Buffer;
}

/** What an event that is a posting binds; undefined for all others. @throws as `firstOf` does */
export async function leafOf(event: RecordedEvent, firstOf: FirstEvent): Promise<Leaf | undefined> {
  if (!isPosting(event)) return undefined;
  const posting = postingOf(event, await placeOf(event, firstOf));
  return posting && { posting, hash: leafHash(sha256, leafText(posting)) as Buffer };
}

/** A posting names its merchant and currency, or its stream's first event does. */
async function placeOf(event: RecordedEvent, firstOf: FirstEvent): Promise<LegsPlace> {
  const own = event.data as Partial<LegsPlace>;
  if (own.merchantId !== undefined && own.mode !== undefined && own.currency !== undefined)
    return { merchantId: own.merchantId, mode: own.mode, currency: own.currency };
  const key = collectionKeyOf(event.stream) ?? payoutKeyOf(event.stream);
  const first = await firstOf(event.stream);
  const { currency } = (first?.data ?? {}) as Partial<LegsPlace>;
  if (!key || currency === undefined)
    throw new TypeError(`${event.stream} does not say in which currency its legs stand`);
  return { merchantId: key.merchantId, mode: key.mode, currency };
}

const legs = Buffer.from('"legs"');

/** Whether an event may be a posting: a look at its bytes, so that others need not be decoded. */
export function mayHaveLegs({ data }: StoredRecord): boolean {
  return Buffer.from(data.buffer, data.byteOffset, data.length).includes(legs);
}
