import { ok, refuse, type Result } from '#domain/kernel';

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
