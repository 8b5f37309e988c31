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
