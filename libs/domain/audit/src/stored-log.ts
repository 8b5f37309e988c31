import { type Position, type RecordedEvent } from '#domain/event-sourcing';
import { type Instant } from '#domain/kernel';
import { leafHash, type Sha256 } from './posting.js';

/** An event as the store keeps it, to the byte. */
export interface StoredRecord {
  readonly id: string;
  readonly type: string;
  readonly stream: string;
  readonly revision: bigint;
  readonly position: Position;
  readonly recordedAt: Instant;
  /** Whether it says that its data are JSON. */
  readonly isJson: boolean;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
  /** The event that it holds. @throws UnknownEventType, UnreadableEvent */
  readonly decode: () => RecordedEvent;
}

/** The log by its bytes: for whoever binds or checks them, whatever they say. */
export abstract class StoredLog {
  /**
   * All events whose stream bears one of the prefixes, in log order, after the position, up to the head.
   * @throws EventStoreUnavailable
   */
  abstract readStored(
    after: Position | 'start',
    prefixes: readonly string[],
  ): AsyncIterable<StoredRecord>;
}

/** The hash of an event in the tree of the whole history (AUD-11). */
export function recordHash(sha256: Sha256, record: Omit<StoredRecord, 'decode'>): Uint8Array {
  const { id, type, stream, revision, recordedAt, isJson, data, metadata } = record;
  return leafHash(
    sha256,
    `{"data":"${hex(sha256(data))}","id":${JSON.stringify(id)},"json":${String(isJson)}` +
      `,"metadata":"${hex(sha256(metadata))}","recordedAt":"${recordedAt}"` +
      `,"revision":"${revision}","stream":${JSON.stringify(stream)},"type":${JSON.stringify(type)}}`,
  );
}

const digits = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Lower-case hex. */
export function hex(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += digits[byte] ?? '';
  return text;
}

/** @throws RangeError where the text is no lower-case hex */
export function fromHex(text: string): Uint8Array {
  if (!/^(?:[0-9a-f]{2})*$/.test(text)) throw new RangeError('not lower-case hex');
  const bytes = new Uint8Array(text.length / 2);
  for (let at = 0; at < bytes.length; at += 1)
    bytes[at] = parseInt(text.slice(2 * at, 2 * at + 2), 16);
  return bytes;
}
