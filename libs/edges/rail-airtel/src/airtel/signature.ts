import {
  constants,
  createCipheriv,
  createPublicKey,
  type KeyObject,
  publicEncrypt,
} from 'node:crypto';

/** Returns random bytes. */
export type RandomBytes = (length: number) => Uint8Array;

const keyBytes = 32;
const vectorBytes = 16;
/** A shorter key has no room for what it encrypts. */
const leastBits = 1024;

/** Returns Airtel's public key, which comes in DER (SPKI) as base64; undefined if the text is no RSA key. */
export function encryptionKeyIn(base64: string): KeyObject | undefined {
  try {
    const der = Buffer.from(base64, 'base64');
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
    const { modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
    return key.asymmetricKeyType === 'rsa' && modulusLength >= leastBits ? key : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the headers that sign a body (AIR-16): the body's bytes, encrypted under a key and a vector of their own, and
 * these two, encrypted to Airtel's key. Airtel encrypts the bytes that come, and compares.
 */
export function signatureHeaders(
  body: string,
  to: KeyObject,
  randomBytes: RandomBytes,
): Readonly<Record<string, string>> {
  const [key, vector] = [randomBytes(keyBytes), randomBytes(vectorBytes)];
  const cipher = createCipheriv('aes-256-cbc', key, vector);
  const signature = Buffer.concat([cipher.update(body, 'utf8'), cipher.final()]);
  const pair = `${base64Of(key)}:${base64Of(vector)}`;
  const wrapped = publicEncrypt(
    { key: to, padding: constants.RSA_PKCS1_PADDING },
    Buffer.from(pair),
  );
  return { 'x-signature': signature.toString('base64'), 'x-key': wrapped.toString('base64') };
}

function base64Of(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
