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
 * True if two texts are equal, in a time that does not reveal where they differ. It compares digests of equal length,
 * so that lengths reveal nothing either.
 */
export function constantTimeEqual(left: Bytes, right: Bytes): boolean {
  return timingSafeEqual(sha256(left), sha256(right));
}

/** Returns the SHA-256; text counts as its UTF-8 bytes. */
export function sha256(data: Bytes): Buffer {
  return hash('sha256', data, 'buffer');
}

/** Drawn at once, because a system call costs as much as many bytes. */
const bytesPerDraw = 4096;
let drawn = Buffer.alloc(0);

/** Returns random bytes for salts and secrets. The same bytes are never returned to another caller. */
export function randomBytes(length: number): Buffer {
  // A new buffer each time, because callers may still use bytes of the old one.
  if (drawn.length < length)
    drawn = randomFillSync(Buffer.allocUnsafeSlow(Math.max(length, bytesPerDraw)));
  const bytes = drawn.subarray(0, length);
  drawn = drawn.subarray(length);
  return bytes;
}

/** Returns a client secret or bearer token: 256 random bits, 43 characters of base64url. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * Returns the stored form of a secret from `newSecret`: its SHA-256. A slow password hash would add nothing, because
 * 2²⁵⁶ secrets cannot be tried, and each request's token is looked up by this value.
 */
export function hashSecret(secret: string): Buffer {
  return sha256(secret);
}
