import { randomBytes, sha256Hex } from './digest.js';
import { type Keyring, type Sealed } from './keyring.js';

const label = 'evidence';
const saltBytes = 32;

/** Evidence as an event's metadata carries it. */
export interface SealedEvidence {
  readonly evidence: Sealed;
  /** Lower-case hex SHA-256(salt ‖ evidence): whoever is shown both can check it without a key of ours. */
  readonly commitment: string;
}

/**
 * Encrypts evidence (an object that JSON can hold) with a random salt inside, and commits to both. The salt
 * keeps the commitment from giving away what little is unknown of a phone number. Events are never written anew, so
 * it is sealed under the data key, where one is loaded.
 */
export function sealEvidence(keyring: Keyring, evidence: object): SealedEvidence {
  const salt = randomBytes(saltBytes);
  const bytes = Buffer.concat([salt, Buffer.from(JSON.stringify(evidence), 'utf8')]);
  return { evidence: keyring.sealData(label, bytes), commitment: sha256Hex(bytes) };
}

/**
 * @returns the salt and the evidence's exact bytes (JSON): together they hash to the commitment
 * @throws UnopenableCiphertext; RangeError where the commitment is not theirs
 */
export function openEvidence(
  keyring: Keyring,
  sealed: SealedEvidence,
): { salt: Buffer; json: Buffer } {
  const bytes = keyring.open(label, sealed.evidence);
  if (sha256Hex(bytes) !== sealed.commitment)
    throw new RangeError('the commitment is not that of this evidence');
  return { salt: bytes.subarray(0, saltBytes), json: bytes.subarray(saltBytes) };
}
