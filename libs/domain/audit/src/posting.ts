import { type RecordedEvent } from '#domain/event-sourcing';
import { formatMinor, type Instant, type Mode } from '#domain/kernel';
import { type Leg } from '#domain/ledger';

/** SHA-256; a text counts as its UTF-8 bytes. */
export type Sha256 = (data: string | Uint8Array) => Uint8Array;

/** The merchant, mode and currency of an event's legs. The item's first event names them, or the event itself. */
export interface LegsPlace {
  /** Absent if the legs concern no merchant, as those of a movement to the organisation's bank. */
  readonly merchantId?: string;
  readonly mode: Mode;
  readonly currency: string;
}

/** An event with legs, and all of its content that the leaf binds (AUD-2). */
export interface Posting extends LegsPlace {
  readonly id: string;
  readonly type: string;
  readonly version: number;
  readonly stream: string;
  readonly revision: bigint;
  readonly recordedAt: Instant;
  readonly legs: readonly Leg[];
  readonly requestCommitment?: string;
  readonly railCommitment?: string;
}

/** True if the event's data have legs. */
export function hasLegs(data: object): data is PostedData {
  return 'legs' in data && Array.isArray(data.legs);
}

interface PostedData {
  readonly legs: readonly Leg[];
  readonly requestCommitment?: string;
  readonly railCommitment?: string;
}

/**
 * Returns the part of a posting that the leaf binds; undefined for an event without legs, and for legs that are only
 * proposed.
 */
export function postingOf(event: RecordedEvent, place: LegsPlace): Posting | undefined {
  if (!isPosting(event)) return undefined;
  const { id, type, stream, revision, recordedAt, metadata, data } = event;
  const { requestCommitment, railCommitment = metadata.commitment } = data;
  return {
    ...(place.merchantId === undefined ? {} : { merchantId: place.merchantId }),
    mode: place.mode,
    currency: place.currency,
    id,
    type,
    version: metadata.v,
    stream,
    revision,
    recordedAt,
    legs: data.legs,
    ...(requestCommitment === undefined ? {} : { requestCommitment }),
    ...(railCommitment === undefined ? {} : { railCommitment }),
  };
}

/** True for an event whose legs move money. A proposed correction has legs too, but moves nothing. */
export function isPosting(
  event: RecordedEvent,
): event is RecordedEvent & { readonly data: PostedData } {
  return event.type !== 'CorrectionProposed' && hasLegs(event.data);
}

/**
 * The canonical text of a posting (AUD-3): JSON by RFC 8785, without spaces, with members in the order of their names,
 * and with texts as JSON.stringify writes them.
 */
export function leafText(posting: Posting): string {
  const { currency, id, legs, merchantId, mode, railCommitment, recordedAt } = posting;
  const { requestCommitment, revision, stream, type, version } = posting;
  return JSON.stringify({
    currency,
    id,
    legs: legs.map(legObject),
    merchantId,
    mode,
    railCommitment,
    recordedAt,
    requestCommitment,
    revision: revision.toString(),
    stream,
    type,
    version,
  });
}

/** The canonical text of one leg. */
function legText(leg: Leg): string {
  return JSON.stringify(legObject(leg));
}

function legObject({ account, amountMinor }: Leg): object {
  return { account, amountMinor: formatMinor(amountMinor) };
}

/** The hash of a leaf (AUD-4; RFC 6962 §2.1). The prefix distinguishes it from the hash of a node. */
export function leafHash(sha256: Sha256, leaf: string): Uint8Array {
  return sha256(`\u0000${leaf}`);
}

const hashBytes = 32;
const linkPrefix = 2;
/** The link before the first one of an account. */
const noLink = new Uint8Array(hashBytes);
const encoder = new TextEncoder();
/** The buffer in which a link's bytes are assembled. UTF-8 needs at most three bytes for each unit of a text. */
const longestLegText = 500;
const linkBytes = new Uint8Array(1 + 2 * hashBytes + 3 * longestLegText);

/**
 * The link of one leg (AUD-6).
 * @param previous the last link of the same mode, currency and account; undefined for its first leg
 * @param leaf the hash of the posting's leaf
 */
export function linkHash(
  sha256: Sha256,
  previous: Uint8Array | undefined,
  leaf: Uint8Array,
  leg: Leg,
): Uint8Array {
  const text = legText(leg);
  if (text.length > longestLegText) throw new RangeError('the name of an account is too long');
  linkBytes[0] = linkPrefix;
  linkBytes.set(previous ?? noLink, 1);
  linkBytes.set(leaf, 1 + hashBytes);
  const { written } = encoder.encodeInto(text, linkBytes.subarray(1 + 2 * hashBytes));
  return sha256(linkBytes.subarray(0, 1 + 2 * hashBytes + written));
}
