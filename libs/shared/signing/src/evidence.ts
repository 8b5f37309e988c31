import { randomBytes, sha256Hex } from './digest.js';
import { type Keyring, type Sealed, UnopenableCiphertext } from './keyring.js';
import { type PublicKey, stringToSignOf, verifyV4 } from './request-signature.js';

const label = 'evidence';
/** The label for sealed messages. */
export const messageLabel = 'message';
const saltBytes = 32;
const ownKeyBytes = 32;

/**
 * A message in the records and its own key, which is stored there. If the key is erased, the content that both seal is
 * erased too.
 */
export interface OwnKey {
  readonly messageId: string;
  readonly ownKey: Uint8Array;
}

/** Evidence in an event's metadata. */
export interface SealedEvidence {
  readonly evidence: Sealed & {
    /** The message whose own key is also needed to open it; absent for evidence from before messages had one. */
    readonly messageId?: string;
  };
  /** Lower-case hex SHA-256(salt ‖ evidence). Anyone who has both can check it without a key of ours. */
  readonly commitment: string;
}

/** Returns a key for one message. Dropping the key erases the message, and the evidence of the events that name it. */
export function newOwnKey(): Buffer {
  // A copy: otherwise other random bytes from the same draw would stay in memory as long as the key does.
  return Buffer.from(randomBytes(ownKeyBytes));
}

/**
 * Encrypts evidence (an object that JSON can represent) with a random salt, and commits to both. The salt keeps the
 * commitment from revealing the unknown part of a phone number. Events are never rewritten, so the evidence is sealed
 * under the data key if one is loaded.
 * @param own the message that the evidence belongs to; without it, the evidence belongs to no stored message
 */
export function sealEvidence(keyring: Keyring, evidence: object, own?: OwnKey): SealedEvidence {
  const salt = randomBytes(saltBytes);
  const bytes = Buffer.concat([salt, Buffer.from(JSON.stringify(evidence), 'utf8')]);
  const commitment = sha256Hex(bytes);
  if (!own) return { evidence: keyring.sealData(label, bytes), commitment };
  const { messageId, ownKey } = own;
  const sealed = keyring.sealOwnBytes(label, ownKey, { plaintext: bytes, aad: messageId });
  const ciphertext = sealed.ciphertext.toString('base64');
  return { evidence: { keyId: sealed.keyId, messageId, ciphertext }, commitment };
}

/**
 * @param ownKey of the message that the evidence names; undefined if it names none, or if its key is gone
 * @returns the salt and the evidence's exact bytes (JSON): together they hash to the commitment
 * @throws UnopenableCiphertext; RangeError if the commitment is not theirs
 */
export function openEvidence(
  keyring: Keyring,
  sealed: SealedEvidence,
  ownKey?: Uint8Array,
): { salt: Buffer; json: Buffer } {
  const bytes = openedBytes(keyring, sealed.evidence, ownKey);
  if (sha256Hex(bytes) !== sealed.commitment)
    throw new RangeError('the commitment is not that of this evidence');
  return { salt: bytes.subarray(0, saltBytes), json: bytes.subarray(saltBytes) };
}

/** The members of evidence, by name. */
export type EvidenceMembers = Readonly<Record<string, string | undefined>>;

/** As `openEvidence`, but parses the evidence. @throws also SyntaxError if it is not JSON */
export function readEvidence(
  keyring: Keyring,
  sealed: SealedEvidence,
  ownKey?: Uint8Array,
): EvidenceMembers {
  const { json } = openEvidence(keyring, sealed, ownKey);
  return JSON.parse(json.toString('utf8')) as EvidenceMembers;
}

/** The result of checking a V4 signature; `not_checked` if the signed text is not in the evidence. */
export type SignatureStanding = 'valid' | 'invalid' | 'unknown_key' | 'not_checked';

/**
 * Checks if the V4 signature covers the evidence.
 * @param keyOf returns a key that the merchant registered, by its fingerprint
 */
export function signatureStanding(
  members: EvidenceMembers,
  keyOf: (fingerprint: string) => PublicKey | undefined,
): SignatureStanding {
  const { method, path, query, bodyDigest, nonce, timestamp, signature, keyFingerprint } = members;
  // V3 signs a text from its body, and a link is signed by its hash: the evidence alone contains neither.
  if (keyFingerprint === undefined || nonce === undefined || timestamp === undefined)
    return 'not_checked';
  const key = keyOf(keyFingerprint);
  if (!key) return 'unknown_key';
  const signed = stringToSignOf({
    method: method ?? '',
    rawPath: path ?? '',
    rawQuery: query ?? '',
    bodyDigest: bodyDigest ?? '',
    nonce,
    timestamp,
  });
  return signed.ok && verifyV4(key.key, signed.value, signature ?? '') ? 'valid' : 'invalid';
}

function openedBytes(
  keyring: Keyring,
  { messageId, ...sealed }: SealedEvidence['evidence'],
  ownKey: Uint8Array | undefined,
): Buffer {
  if (messageId === undefined) return keyring.open(label, sealed);
  if (!ownKey) throw new UnopenableCiphertext('the key of its message is gone');
  const ciphertext = Buffer.from(sealed.ciphertext, 'base64');
  return keyring.openOwnBytes(label, ownKey, { keyId: sealed.keyId, ciphertext, aad: messageId });
}

/** Encrypts a message's bytes for its row, under the message's own key. */
export function sealMessage(
  keyring: Keyring,
  { messageId, ownKey }: OwnKey,
  bytes: Uint8Array,
): { readonly keyId: string; readonly ciphertext: Buffer } {
  return keyring.sealOwnBytes(messageLabel, ownKey, { plaintext: bytes, aad: messageId });
}

/** @throws UnopenableCiphertext if the row is damaged, or a key is a different one */
export function openMessage(
  keyring: Keyring,
  { messageId, ownKey }: OwnKey,
  sealed: { readonly keyId: string; readonly ciphertext: Uint8Array },
): Buffer {
  return keyring.openOwnBytes(messageLabel, ownKey, { ...sealed, aad: messageId });
}
