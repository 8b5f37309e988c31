import { type EventStore, type RecordedEvent } from '#domain/event-sourcing';
import { merchantStream } from '#domain/merchants';
import { type StoredMessage } from '#adapters/records';
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

/** What an event says of a message. */
export interface Naming {
  readonly event: string;
  readonly commitment: string;
  /** `broken`: what the commitment is to is not this evidence. */
  readonly commitmentIs: 'held' | 'broken' | 'sealed';
  /** Whether the event's digest is that of the stored bytes. */
  readonly digest: 'matches' | 'differs' | 'not_checked';
  /** Of a merchant's request, over the stored bytes. */
  readonly signature?: SignatureStanding;
}

/** `sealed`: a key that it needs besides its own is gone, or it is damaged. */
export type Contents =
  { readonly state: 'opened'; readonly bytes: Buffer } | { readonly state: 'erased' | 'sealed' };

/** A message as it is shown. */
export interface CheckedMessage {
  readonly message: StoredMessage;
  readonly contents: Contents;
  readonly named: readonly Naming[];
}

/** With what messages and evidence are opened and checked. */
export interface CheckKeys {
  readonly keyring: Keyring;
  readonly publicKeys: ReadonlyMap<string, PublicKey>;
}

/** Opens a message, and the evidence of the events that name it, and holds each against the other. */
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

/** Whether the event's evidence is what its commitment says, and the message what its digest says. */
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

/** Evidence of before messages had keys is of the message that caused its event. */
function names({ metadata }: RecordedEvent, { id }: StoredMessage): boolean {
  const { evidence, causationId } = metadata;
  return evidence !== undefined && (evidence.messageId ?? causationId) === id;
}

/** What opening a message needs. */
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
  if (contents.state !== 'opened') return { ...naming, commitmentIs: 'held' };
  const { bytes } = contents;
  const bodyDigest = sha256Hex(bytes);
  const told = members['bodyDigest'] ?? members['digest'];
  return {
    ...naming,
    commitmentIs: 'held',
    digest: bodyDigest === told ? 'matches' : 'differs',
    ...(members['method'] === undefined
      ? {}
      : { signature: signatureOver(bytes, { ...members, bodyDigest }, publicKeys) }),
  };
}

/** @param members the request as the evidence has it, but for the digest of its body: that is of the stored bytes */
function signatureOver(
  bytes: Buffer,
  members: EvidenceMembers,
  publicKeys: CheckKeys['publicKeys'],
): SignatureStanding {
  const standing = signatureStanding(members, (fingerprint) => publicKeys.get(fingerprint));
  const { keyFingerprint, nonce, signature } = members;
  // V3 has neither nonce nor timestamp: it signs a text of its body.
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

/** @returns `sealed` where a key is gone that it needs; `damaged` where the commitment is not its own */
export function membersOf(
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

/** Every key that the merchant of a stream ever registered, by its fingerprint: history keeps them. */
export async function publicKeysOf(
  store: EventStore,
  [first]: readonly RecordedEvent[],
): Promise<ReadonlyMap<string, PublicKey>> {
  if (!first || !('merchantId' in first.data)) return new Map();
  const events = await store.readStream(merchantStream(String(first.data.merchantId)));
  const keys = events.flatMap((event) => registeredKeyOf(event) ?? []);
  return new Map(keys.map((key) => [key.fingerprint, key]));
}
