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
import { type EventStore, type RecordedEvent, UnreadableEvent } from '#domain/event-sourcing';
import { payoutKeyOf } from '#domain/payouts';
import { isSettlementStream } from '#domain/settlements';
import { sha256 } from '#shared/signing';

/** Reads the first event of a stream, to find a collection's currency. */
type FirstEvent = (stream: string) => Promise<RecordedEvent | undefined>;

/** Reads first events from the store. @throws EventStoreUnavailable */
export function firstEventIn(store: Pick<EventStore, 'readStream'>): FirstEvent {
  return async (stream) => (await store.readStream(stream, 0n, 1))[0];
}

/** A posting with its leaf's hash. */
export interface Leaf {
  readonly posting: Posting;
  readonly hash: Buffer;
}

/** Returns the leaf of a posting; undefined for all other events. @throws as `firstOf` does */
export async function leafOf(event: RecordedEvent, firstOf: FirstEvent): Promise<Leaf | undefined> {
  if (!isPosting(event)) return undefined;
  const posting = postingOf(event, await placeOf(event, firstOf));
  return posting && { posting, hash: leafHash(sha256, leafText(posting)) as Buffer };
}

/** The posting names its merchant and currency, or the first event of its stream does. */
async function placeOf(event: RecordedEvent, firstOf: FirstEvent): Promise<LegsPlace> {
  const own = event.data as Partial<LegsPlace>;
  if (isSettlementStream(event.stream) && own.mode !== undefined && own.currency !== undefined)
    return { mode: own.mode, currency: own.currency };
  if (own.merchantId !== undefined && own.mode !== undefined && own.currency !== undefined)
    return { merchantId: own.merchantId, mode: own.mode, currency: own.currency };
  const key = collectionKeyOf(event.stream) ?? payoutKeyOf(event.stream);
  const first = await firstOf(event.stream);
  const { currency } = (first?.data ?? {}) as Partial<LegsPlace>;
  if (!key || currency === undefined)
    throw new TypeError(`${event.stream} does not say in which currency its legs stand`);
  return { merchantId: key.merchantId, mode: key.mode, currency };
}

/** A posting whose leaf cannot be computed. No tree may continue without it (AUD-26). */
export class UnreadablePosting extends Error {
  override readonly name = 'UnreadablePosting';
  constructor({ type, id, stream, position }: StoredRecord, cause: Error) {
    super(
      `posting ${id} (${type}) of ${stream}, at position ${position}, cannot be read: ${cause.message}`,
      { cause },
    );
  }
}

/**
 * Returns the leaf of a record if it is a posting. A record that names no legs is no posting, even if the rest of it is
 * unreadable: the bytes alone decide that, the same way in every release (AUD-26).
 * @throws UnreadablePosting; UnknownEventType; EventStoreUnavailable
 */
export async function leafOfStored(
  record: StoredRecord,
  firstOf: FirstEvent,
): Promise<Leaf | undefined> {
  if (!mayHaveLegs(record)) return undefined;
  try {
    return await leafOf(record.decode(), firstOf);
  } catch (error) {
    const isItsFault =
      error instanceof UnreadableEvent || error instanceof TypeError || error instanceof RangeError;
    if (!isItsFault) throw error;
    if (!saysLegs(record)) return undefined;
    throw new UnreadablePosting(record, error);
  }
}

const legs = Buffer.from('"legs"');

/** Searches the bytes, so that other events need not be decoded. */
function mayHaveLegs(record: StoredRecord): boolean {
  return bytesOf(record).includes(legs);
}

/** True if the data are a JSON object with legs that move money. */
function saysLegs(record: StoredRecord): boolean {
  const { type, isJson } = record;
  if (!isJson || type === 'CorrectionProposed') return false;
  try {
    const said = JSON.parse(bytesOf(record).toString('utf8')) as { legs?: unknown } | null;
    return Array.isArray(said?.legs);
  } catch {
    return false;
  }
}

function bytesOf({ data }: StoredRecord): Buffer {
  return Buffer.from(data.buffer, data.byteOffset, data.length);
}
