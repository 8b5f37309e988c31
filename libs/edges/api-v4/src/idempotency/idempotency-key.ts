import { ok, refuse, type Result } from '#domain/kernel';
import { createHmac, type KeyObject } from 'node:crypto';

/** Visible ASCII, 1 to 255 characters. */
export const idempotencyKeyPattern = /^[\x21-\x7e]{1,255}$/;

/** Reads the Idempotency-Key header; quotes around it are no part of it. */
export function parseIdempotencyKey(
  header: string | string[] | undefined,
): Result<string, 'missing_idempotency_key' | 'invalid_idempotency_key'> {
  if (header === undefined) return refuse('missing_idempotency_key');
  if (typeof header !== 'string') return refuse('invalid_idempotency_key');
  const key = header.length >= 2 && /^".*"$/.test(header) ? header.slice(1, -1) : header;
  return idempotencyKeyPattern.test(key) ? ok(key) : refuse('invalid_idempotency_key');
}

/**
 * The key of the digests that stand for idempotency keys and for the fields that they were used with. Made once,
 * kept in the records under MASTER_KEY: under a rotated key, a key that was used would look new.
 */
export class IdempotencySecret {
  constructor(private readonly key: KeyObject) {}

  /** @param parts are told apart: ("a", "bc") and ("ab", "c") have different digests */
  digest(...parts: readonly string[]): Buffer {
    return createHmac('sha256', this.key).update(JSON.stringify(parts)).digest();
  }
}
