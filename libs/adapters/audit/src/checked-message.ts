import { type EventStore, type RecordedEvent } from '#domain/event-sourcing';
import { merchantStream } from '#domain/merchants';
import { type StoredMessage } from '#records/evidence';
import { readMembers, signedTextOf } from '#edges/api-v3';
import { Problem, RawBody } from '#shared/http';
import {
  type EvidenceMembers,
  type Keyring,
  openMessage,
  type PublicKey,
  readEvidence,
  type SealedEvidence,
  sha256Hex,
  signatureStanding,
  type SignatureStanding,
  UnopenableCiphertext,
  verifyV4,
} from '#shared/signing';
import { registeredKeyOf } from './evidence.js';

/** An event that names a message, and the result of comparing the two. */
export interface Naming {
  readonly event: string;
  readonly commitment: string;
  /** `broken` if the commitment does not match this evidence. */
  readonly commitmentIs: 'held' | 'broken' | 'sealed';
  /** `matches` if the event's digest is that of the stored bytes. */
  readonly digest: 'matches' | 'differs' | 'not_checked';
  /** Result of the merchant's signature over the stored bytes, for a request. */
  readonly signature?: SignatureStanding;
  /** The event's evidence, if it opened. */
  readonly members?: EvidenceMembers;
}

/** `sealed`: a key other than the message's own is missing, or the message is damaged. */
export type Contents =
  { readonly state: 'opened'; readonly bytes: Buffer } | { readonly state: 'erased' | 'sealed' };

/** A message with its contents and the events that name it, as it is shown. */
export interface CheckedMessage {
  readonly message: StoredMessage;
  readonly contents: Contents;
  readonly named: readonly Naming[];
}

/** The keys that open and verify messages and evidence. */
export interface CheckKeys {
  readonly keyring: Keyring;
  readonly publicKeys: ReadonlyMap<string, PublicKey>;
}

/** Opens a message and the evidence of the events that name it, and compares them. */
export function checkMessage(
  message: StoredMessage,
  events: readonly RecordedEvent[],
  keys: CheckKeys,
): CheckedMessage {
  const contents = contentsOf(message, keys.keyring);
  const seen = new Set<string>();
  const named = events.flatMap((event) => {
    const { commitment } = event.metadata;
    // Events of one append share their evidence.
    if (commitment === undefined || !names(event, message) || seen.has(commitment)) return [];
    seen.add(commitment);
    return [namingOf(event, commitment, { message, contents }, keys)];
  });
  return { message, contents, named };
}

/** Returns `holds` if the event's evidence matches its commitment and the message matches its digest. */
export function holdsMessage(
  event: RecordedEvent,
  message: Sealed,
  keyring: Keyring,
): 'holds' | 'differs' | 'sealed' {
  const { commitment } = event.metadata;
  if (commitment === undefined) return 'differs';
  const contents = contentsOf(message, keyring);
  const keys = { keyring, publicKeys: new Map() };
  const { commitmentIs, digest } = namingOf(event, commitment, { message, contents }, keys);
  if (contents.state !== 'opened')
    return keyring.keyIds.includes(message.keyId) ? 'differs' : 'sealed';
  return commitmentIs === 'held' && digest === 'matches' ? 'holds' : 'differs';
}

/** Evidence from before messages had keys belongs to the message that caused its event. */
function names({ metadata }: RecordedEvent, { id }: StoredMessage): boolean {
  const { evidence, causationId } = metadata;
  return evidence !== undefined && (evidence.messageId ?? causationId) === id;
}

/** The fields that opening a message needs. */
type Sealed = Pick<StoredMessage, 'id' | 'keyId' | 'ownKey' | 'ciphertext' | 'former'>;

function contentsOf({ id, ownKey, former, ...sealed }: Sealed, keyring: Keyring): Contents {
  try {
    if (former) return { state: 'opened', bytes: former(keyring) };
    if (!ownKey) return { state: 'erased' };
    return { state: 'opened', bytes: openMessage(keyring, { messageId: id, ownKey }, sealed) };
  } catch (error) {
    if (error instanceof UnopenableCiphertext) return { state: 'sealed' };
    throw error;
  }
}

function namingOf(
  event: RecordedEvent,
  commitment: string,
  {
    message,
    contents,
  }: {
    readonly message: Pick<StoredMessage, 'ownKey'>;
    readonly contents: Contents;
  },
  { keyring, publicKeys }: CheckKeys,
): Naming {
  const { evidence } = event.metadata;
  if (!evidence) throw new TypeError('an event without evidence names no message');
  const members = membersOf(keyring, { evidence, commitment }, message.ownKey);
  const naming = { event: event.type, commitment, digest: 'not_checked' } as const;
  if (members === 'sealed') return { ...naming, commitmentIs: 'sealed' };
  if (members === 'damaged') return { ...naming, commitmentIs: 'broken' };
  if (contents.state !== 'opened') return { ...naming, commitmentIs: 'held', members };
  const { bytes } = contents;
  const bodyDigest = sha256Hex(bytes);
  const told = members['bodyDigest'] ?? members['digest'];
  return {
    ...naming,
    commitmentIs: 'held',
    members,
    digest: bodyDigest === told ? 'matches' : 'differs',
    ...(members['method'] === undefined
      ? {}
      : { signature: signatureOver(bytes, { ...members, bodyDigest }, publicKeys) }),
  };
}

/** @param members the request from the evidence; only the digest of its body is that of the stored bytes */
function signatureOver(
  bytes: Buffer,
  members: EvidenceMembers,
  publicKeys: CheckKeys['publicKeys'],
): SignatureStanding {
  const standing = signatureStanding(members, (fingerprint) => publicKeys.get(fingerprint));
  const { keyFingerprint, nonce, signature } = members;
  // V3 has neither a nonce nor a timestamp: it signs a text made from its body.
  if (standing !== 'not_checked' || keyFingerprint === undefined || nonce !== undefined)
    return standing;
  const key = publicKeys.get(keyFingerprint);
  if (!key) return 'unknown_key';
  const text = signedTextOfV3(bytes);
  return text !== undefined && verifyV4(key.key, text, signature ?? '') ? 'valid' : 'invalid';
}

function signedTextOfV3(bytes: Buffer): string | undefined {
  try {
    return signedTextOf(readMembers(new RawBody(bytes, undefined)));
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

/** @returns `sealed` if a key that it needs is missing, `damaged` if the commitment does not match the evidence */
function membersOf(
  keyring: Keyring,
  sealed: SealedEvidence,
  ownKey: Uint8Array | undefined,
): EvidenceMembers | 'sealed' | 'damaged' {
  try {
    return readEvidence(keyring, sealed, ownKey);
  } catch (error) {
    if (error instanceof UnopenableCiphertext) return 'sealed';
    if (error instanceof RangeError || error instanceof SyntaxError) return 'damaged';
    throw error;
  }
}

/** Returns every key that the merchant of a stream ever registered, by fingerprint. The history keeps them all. */
export async function publicKeysOf(
  store: EventStore,
  [first]: readonly RecordedEvent[],
): Promise<ReadonlyMap<string, PublicKey>> {
  if (!first || !('merchantId' in first.data)) return new Map();
  const events = await store.readStream(merchantStream(String(first.data.merchantId)));
  const keys = events.flatMap((event) => registeredKeyOf(event) ?? []);
  return new Map(keys.map((key) => [key.fingerprint, key]));
}
