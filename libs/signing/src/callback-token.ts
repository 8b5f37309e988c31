import { type Keyring, UnopenableCiphertext } from './keyring.js';

const label = 'callback-token';
const version = 1;
const lowerHex = /^(?:[0-9a-f]{2}){1,512}$/;

/**
 * The token that stands in a callback's URL for a stream: its name under authenticated encryption. Nothing is
 * stored or looked up, so a callback is never too early, and a stranger cannot make one.
 * Layout: version ‖ length of the key id ‖ key id ‖ sealed bytes.
 * @returns lower-case hex; about 90 characters more than twice the name's length
 */
export function sealToken(keyring: Keyring, streamName: string): string {
  const keyId = Buffer.from(keyring.currentKeyId, 'ascii');
  const head = Buffer.concat([Buffer.from([version, keyId.length]), keyId]);
  return Buffer.concat([head, keyring.sealBytes(label, streamName, '')]).toString('hex');
}

/** @returns the stream's name, or undefined for anything that `sealToken` did not make under a key of this ring */
export function openToken(keyring: Keyring, token: string): string | undefined {
  if (!lowerHex.test(token)) return undefined;
  const bytes = Buffer.from(token, 'hex');
  if (bytes[0] !== version) return undefined;
  const end = 2 + (bytes[1] ?? 0);
  const keyId = bytes.toString('ascii', 2, end);
  try {
    return keyring.openBytes(label, keyId, bytes.subarray(end), '').toString('utf8');
  } catch (error) {
    if (error instanceof UnopenableCiphertext) return undefined;
    throw error;
  }
}
