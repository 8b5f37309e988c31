import { createHash, createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';

type Bytes = string | Uint8Array;

/** @returns lower-case hex SHA-256; text counts as its UTF-8 bytes */
export function sha256Hex(data: Bytes): string {
  return createHash('sha256').update(data).digest('hex');
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

function sha256(data: Bytes): Buffer {
  return createHash('sha256').update(data).digest();
}
