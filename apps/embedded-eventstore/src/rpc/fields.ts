/** LMDB's limit for a key, less the length of the metadata prefix. */
const MAX_STREAM_NAME_BYTES = 1900;

/** Returns the reason why the name cannot be a stream's; undefined if it can. */
export function invalidStreamName(name: Uint8Array): string | undefined {
  if (name.length === 0) return 'the stream name is empty';
  if (name.length > MAX_STREAM_NAME_BYTES) {
    return `the stream name is longer than ${MAX_STREAM_NAME_BYTES} bytes`;
  }
  return undefined;
}

const LARGEST_INT64 = 2n ** 63n - 1n;
const LARGEST_UINT64 = 2n ** 64n - 1n;

/**
 * Reads a revision or a part of a position, as EventStoreDB does.
 * @returns `end` for the largest uint64, which means the end; undefined for a number that is none
 */
export function parsePlace(digits: string): number | 'end' | undefined {
  const value = BigInt(digits);
  if (value === LARGEST_UINT64) return 'end';
  return value > LARGEST_INT64 ? undefined : parseUint64(digits);
}

/**
 * Reads a uint64 in decimal digits, as the generated messages have it. A larger number than 2^53 − 1 counts as that
 * number, because the store has no revision or position so high.
 */
export function parseUint64(digits: string): number {
  const value = BigInt(digits);
  return value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(value);
}
