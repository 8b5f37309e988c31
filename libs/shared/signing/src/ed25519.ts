import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { sha256Hex } from './digest.js';

/** A private key that signs heads, and its public half. */
export interface SealKey {
  readonly privateKey: KeyObject;
  /** Lower-case hex SHA-256 of the SubjectPublicKeyInfo in DER. */
  readonly keyId: string;
  /** Base64 of that DER. */
  readonly publicKey: string;
}

/** @returns undefined if the text is no Ed25519 private key in PEM */
export function parseSealKey(pem: string): SealKey | undefined {
  try {
    const privateKey = createPrivateKey(pem);
    if (privateKey.asymmetricKeyType !== 'ed25519') return undefined;
    const der = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
    return { privateKey, keyId: sha256Hex(der), publicKey: der.toString('base64') };
  } catch {
    // OpenSSL's messages only add their own source lines to "the key cannot be read".
    return undefined;
  }
}

/** @returns base64 of the Ed25519 signature over the text's UTF-8 bytes */
export function signHead({ privateKey }: SealKey, text: string): string {
  return sign(null, Buffer.from(text, 'utf8'), privateKey).toString('base64');
}

/** @param publicKey base64 of a SubjectPublicKeyInfo; any other text verifies nothing */
export function verifyHead(publicKey: string, text: string, signature: string): boolean {
  try {
    const key = createPublicKey({
      key: Buffer.from(publicKey, 'base64'),
      type: 'spki',
      format: 'der',
    });
    const bytes = Buffer.from(signature, 'base64');
    return (
      key.asymmetricKeyType === 'ed25519' &&
      bytes.toString('base64') === signature &&
      verify(null, Buffer.from(text, 'utf8'), key, bytes)
    );
  } catch {
    return false;
  }
}

/** Returns the fingerprint of a public key in base64 of its SubjectPublicKeyInfo. */
export function fingerprintOf(publicKey: string): string {
  return sha256Hex(Buffer.from(publicKey, 'base64'));
}
