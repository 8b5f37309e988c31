/** LMDB's limit for a key, less what the metadata prefix may add. */
const MAX_STREAM_NAME_BYTES = 1900;

/** Why the name cannot be a stream's; undefined where it can. */
export function invalidStreamName(name: Uint8Array): string | undefined {
  if (name.length === 0) return 'the stream name is empty';
  if (name.length > MAX_STREAM_NAME_BYTES) {
    return `the stream name is longer than ${MAX_STREAM_NAME_BYTES} bytes`;
  }
  return undefined;
}

/**
 * A uint64 as the generated messages give it, in decimal digits. What exceeds 2^53 − 1 is taken for that
 * number: the store has no revision or position so high.
 */
export function parseUint64(digits: string): number {
  const value = BigInt(digits);
  return value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(value);
}
