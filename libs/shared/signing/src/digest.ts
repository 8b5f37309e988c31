import { createHmac, hash, type KeyObject, randomFillSync, timingSafeEqual } from 'node:crypto';

type Bytes = string | Uint8Array;

/** @returns lower-case hex SHA-256; text counts as its UTF-8 bytes */
export function sha256Hex(data: Bytes): string {
  return hash('sha256', data, 'hex');
}

/** @returns lower-case hex HMAC-SHA256; text counts as its UTF-8 bytes */
export function hmacSha256Hex(key: KeyObject, data: Bytes): string {
  return createHmac('sha256', key).update(data).digest('hex');
}

/**
 * Whether two texts are equal, in a time that tells nothing about where they differ. Digests of equal length
 * are compared, so that lengths tell nothing either.
 */
export function constantTimeEqual(left: Bytes, right: Bytes): boolean {
  return timingSafeEqual(sha256(left), sha256(right));
}

/** SHA-256; text counts as its UTF-8 bytes */
export function sha256(data: Bytes): Buffer {
  return hash('sha256', data, 'buffer');
}

/** Drawn at once: a call to the system costs as much as many bytes. */
const bytesPerDraw = 4096;
let drawn = Buffer.alloc(0);

/** Random bytes that nobody else is given, for salts and secrets. */
export function randomBytes(length: number): Buffer {
  // A new one each time: those who were given bytes of the one before may still hold them.
  if (drawn.length < length)
    drawn = randomFillSync(Buffer.allocUnsafeSlow(Math.max(length, bytesPerDraw)));
  const bytes = drawn.subarray(0, length);
  drawn = drawn.subarray(length);
  return bytes;
}

/** A client secret or bearer token: 256 random bits, 43 characters of base64url. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * What is stored of a secret that `newSecret` made: its SHA-256. A slow password hash would add nothing: nobody
 * can try 2²⁵⁶ secrets, and each request's token is looked up by this value.
 */
export function hashSecret(secret: string): Buffer {
  return sha256(secret);
}
