import { type Keyring, masterKeyIdPattern, sealingBytes, UnopenableCiphertext } from './keyring.js';

const label = 'callback-token';
const version = 1;
const lowerHex = /^(?:[0-9a-f]{2}){1,512}$/;

/**
 * Returns the token in a callback's URL for a stream: the stream's name under authenticated encryption. Nothing is
 * stored or looked up, so a callback is never too early, and an untrusted sender cannot make one (RAIL-1). Layout:
 * version ‖ length of the key id ‖ key id ‖ sealed bytes.
 * @returns lower-case hex; about 90 characters more than twice the name's length
 */
export function sealToken(keyring: Keyring, streamName: string): string {
  const keyId = Buffer.from(keyring.currentKeyId, 'ascii');
  const head = Buffer.concat([Buffer.from([version, keyId.length]), keyId]);
  return Buffer.concat([head, keyring.sealBytes(label, streamName, '')]).toString('hex');
}

/** The reading of a token with a keyring. */
export type TokenReading =
  | { readonly kind: 'stream'; readonly stream: string }
  /** It has the form of a token, under a master key that is not in the ring. Another process may have the key. */
  | { readonly kind: 'unknown_key'; readonly keyId: string }
  | { readonly kind: 'none' };

/** Returns a stream only for a token that `sealToken` made under a key of this ring. */
export function readToken(keyring: Keyring, token: string): TokenReading {
  if (!lowerHex.test(token)) return { kind: 'none' };
  const bytes = Buffer.from(token, 'hex');
  if (bytes[0] !== version) return { kind: 'none' };
  const end = 2 + (bytes[1] ?? 0);
  const keyId = bytes.toString('latin1', 2, end);
  if (!keyring.hasMasterKey(keyId)) {
    const isPlausible = masterKeyIdPattern.test(keyId) && bytes.length - end > sealingBytes;
    return isPlausible ? { kind: 'unknown_key', keyId } : { kind: 'none' };
  }
  try {
    const stream = keyring.openBytes(label, keyId, bytes.subarray(end), '').toString('utf8');
    return { kind: 'stream', stream };
  } catch (error) {
    if (error instanceof UnopenableCiphertext) return { kind: 'none' };
    throw error;
  }
}
