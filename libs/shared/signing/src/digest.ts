import { createHash, createHmac, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';

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

/** A client secret or bearer token: 256 random bits, 43 characters of base64url. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * What is stored of a secret that `newSecret` made: its SHA-256. A slow password hash would add nothing: nobody
 * can try 2²⁵⁶ secrets, and each request's token is looked up by this value.
 */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret, 'utf8').digest();
}
