import { createPublicKey, type KeyObject } from 'node:crypto';
import { ok, refuse, type Result } from '#domain/kernel';
import { sha256Hex } from './digest.js';

export interface PublicKey {
  readonly key: KeyObject;
  /** Lower-case hex SHA-256 of the key's SubjectPublicKeyInfo in DER: the same for every spelling of the PEM. */
  readonly fingerprint: string;
  readonly modulusBits: number;
}

export type PublicKeyRefusal = 'not_an_rsa_public_key' | 'rsa_key_too_small' | 'rsa_key_too_large';

/** Below it a key is short: refused, but for V3, whose clients have theirs for years. */
export const minKeyBits = 2048;
/** A key of V3 may be as short; whoever registers one is warned. Shorter ones were broken in public. */
export const minV3KeyBits = 1024;
/** Verification grows with the square of the modulus; nobody needs more, and an untrusted sender's key must not be a load. */
const maxModulusBits = 8192;

const publicPem = /^\s*-----BEGIN (RSA )?PUBLIC KEY-----/;

/**
 * Reads a merchant's public key (PEM, SPKI or PKCS #1). A private key is refused, although one could derive the
 * public half: whoever sends one should be told, not helped.
 * @param minBits of the modulus
 */
export function parsePublicKey(
  pem: string,
  minBits = minKeyBits,
): Result<PublicKey, PublicKeyRefusal> {
  if (!publicPem.test(pem)) return refuse('not_an_rsa_public_key');
  const key = readKey(pem);
  if (key?.asymmetricKeyType !== 'rsa') return refuse('not_an_rsa_public_key');
  const { modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {};
  // An exponent of 1 signs nothing: every text is its own signature.
  if (publicExponent < 3n) return refuse('not_an_rsa_public_key');
  if (modulusLength < minBits) return refuse('rsa_key_too_small');
  if (modulusLength > maxModulusBits) return refuse('rsa_key_too_large');
  const fingerprint = sha256Hex(key.export({ type: 'spki', format: 'der' }));
  return ok({ key, fingerprint, modulusBits: modulusLength });
}

function readKey(pem: string): KeyObject | undefined {
  try {
    return createPublicKey(pem);
  } catch {
    // OpenSSL's messages name its own source lines; that the key cannot be read is all there is to say.
    return undefined;
  }
}
