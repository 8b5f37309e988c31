import { type StreamState } from './decide-append.js';

/** What the store keeps of a stream besides its events. */
export interface StreamRecord extends StreamState {
  /** Its number in the index. */
  readonly number: number;
  /** Reads begin here: `$tb` of the stream's metadata. */
  readonly truncateBefore: number;
}

/** A stream that is only spoken of: it has a number, but no event yet. */
export function newStream(number: number): StreamRecord {
  return { number, head: -1, truncateBefore: 0, softDeleted: false, tombstoned: false };
}

/** Can the stream be read? */
export function isReadable(record: StreamRecord | undefined): record is StreamRecord {
  return record !== undefined && record.head >= 0 && !record.softDeleted;
}

const SIZE = 25;
const SOFT_DELETED = 1;
const TOMBSTONED = 2;

export function encodeStreamRecord(record: StreamRecord): Buffer {
  const bytes = Buffer.allocUnsafeSlow(SIZE);
  bytes.writeDoubleBE(record.number, 0);
  bytes.writeDoubleBE(record.head, 8);
  bytes.writeDoubleBE(record.truncateBefore, 16);
  bytes[24] = (record.softDeleted ? SOFT_DELETED : 0) | (record.tombstoned ? TOMBSTONED : 0);
  return bytes;
}

export function decodeStreamRecord(bytes: Buffer): StreamRecord {
  const flags = bytes[24] ?? 0;
  return {
    number: bytes.readDoubleBE(0),
    head: bytes.readDoubleBE(8),
    truncateBefore: bytes.readDoubleBE(16),
    softDeleted: (flags & SOFT_DELETED) !== 0,
    tombstoned: (flags & TOMBSTONED) !== 0,
  };
}
