import { type StreamState } from './decide-append.js';

/** The store's data about a stream besides its events. */
export interface StreamRecord extends StreamState {
  /** Its number in the index. */
  readonly number: number;
  /** Reads begin no earlier than here: `$tb` of the stream's metadata. */
  readonly truncateBefore: number;
  /** Reads return at most this many of the newest events: `$maxCount` of the stream's metadata; 0 means no limit. */
  readonly maxCount: number;
}

/** A stream that is only mentioned so far: it has a number, but no event. */
export function newStream(number: number, maxCount = 0): StreamRecord {
  return {
    number,
    head: -1,
    truncateBefore: 0,
    maxCount,
    softDeleted: false,
    tombstoned: false,
  };
}

/** True if the stream can be read. */
export function isReadable(record: StreamRecord | undefined): record is StreamRecord {
  return record !== undefined && record.head >= 0 && !record.softDeleted;
}

/** The oldest revision that reads return. */
export function firstReadable({ head, truncateBefore, maxCount }: StreamRecord): number {
  return Math.max(truncateBefore, maxCount === 0 ? 0 : head - maxCount + 1);
}

const SIZE = 33;
const SOFT_DELETED = 1;
const TOMBSTONED = 2;

export function encodeStreamRecord(record: StreamRecord): Buffer {
  const bytes = Buffer.allocUnsafe(SIZE);
  bytes.writeDoubleBE(record.number, 0);
  bytes.writeDoubleBE(record.head, 8);
  bytes.writeDoubleBE(record.truncateBefore, 16);
  bytes.writeDoubleBE(record.maxCount, 24);
  bytes[32] = (record.softDeleted ? SOFT_DELETED : 0) | (record.tombstoned ? TOMBSTONED : 0);
  return bytes;
}

export function decodeStreamRecord(bytes: Buffer): StreamRecord {
  const flags = bytes[32] ?? 0;
  return {
    number: bytes.readDoubleBE(0),
    head: bytes.readDoubleBE(8),
    truncateBefore: bytes.readDoubleBE(16),
    maxCount: bytes.readDoubleBE(24),
    softDeleted: (flags & SOFT_DELETED) !== 0,
    tombstoned: (flags & TOMBSTONED) !== 0,
  };
}
