import { createCipheriv } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Keys } from './keys.js';

/** A request's signature: `x-key` holds the AES key and vector, `x-signature` the body that they encrypt. */
export type Signature = 'absent' | 'good' | 'wrong';

/** Like Airtel, encrypts the body that came, byte for byte, and compares. */
export function signatureOf(headers: IncomingHttpHeaders, body: Buffer, keys: Keys): Signature {
  const { 'x-signature': signature, 'x-key': wrapped } = headers;
  if (signature === undefined && wrapped === undefined) return 'absent';
  if (typeof signature !== 'string' || typeof wrapped !== 'string') return 'wrong';
  const [key, vector] = (keys.decrypt(wrapped, ['pkcs1']) ?? '')
    .split(':')
    .map((part) => Buffer.from(part, 'base64'));
  if (key?.length !== 32 || vector?.length !== 16) return 'wrong';
  const cipher = createCipheriv('aes-256-cbc', key, vector);
  const expected = Buffer.concat([cipher.update(body), cipher.final()]).toString('base64');
  return expected === signature ? 'good' : 'wrong';
}
