import { createHash, randomBytes } from 'node:crypto';

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
