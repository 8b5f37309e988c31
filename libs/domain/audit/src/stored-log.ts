import { type Position, type RecordedEvent } from '#domain/event-sourcing';
import { type Instant } from '#domain/kernel';
import { leafHash, type Sha256 } from './posting.js';

/** An event as the store holds it, byte for byte. */
export interface StoredRecord {
  readonly id: string;
  readonly type: string;
  readonly stream: string;
  readonly revision: bigint;
  readonly position: Position;
  readonly recordedAt: Instant;
  /** True if the event is marked as JSON. */
  readonly isJson: boolean;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
  /**
   * Decodes the event.
   * @throws UnknownEventType, UnreadableEvent
   */
  readonly decode: () => RecordedEvent;
}

/** The log as bytes, for code that binds or checks them whatever they contain. */
export abstract class StoredLog {
  /**
   * Reads all events whose stream has one of the prefixes, in log order, after the position, up to the head.
   * @throws EventStoreUnavailable
   */
  abstract readStored(
    after: Position | 'start',
    prefixes: readonly string[],
  ): AsyncIterable<StoredRecord>;
}

/** Returns the hash of an event in the tree of the whole history (AUD-11). */
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

/** @throws RangeError if the text is not lower-case hex */
export function fromHex(text: string): Uint8Array {
  if (!/^(?:[0-9a-f]{2})*$/.test(text)) throw new RangeError('not lower-case hex');
  const bytes = new Uint8Array(text.length / 2);
  for (let at = 0; at < bytes.length; at += 1)
    bytes[at] = parseInt(text.slice(2 * at, 2 * at + 2), 16);
  return bytes;
}
