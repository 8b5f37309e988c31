import {
  fieldSize,
  ProtoReader,
  varintSize,
  writeBytes,
  writeHeader,
  writeVarint,
} from './proto.js';

/** The fields of one stored event. Strings are the UTF-8 bytes that the client sent. */
export interface EventFields {
  /** Lower-case UUID, 36 characters. */
  readonly id: string;
  readonly stream: Buffer;
  readonly revision: number;
  readonly position: number;
  readonly type: Buffer;
  readonly contentType: Buffer;
  /** 100 ns ticks of the Unix epoch, in decimal digits. */
  readonly created: Buffer;
  readonly metadata: Buffer;
  readonly data: Buffer;
}

const ID_LENGTH = 36;
const key = (name: string) => Buffer.from(name, 'ascii');
const TYPE = key('type');
const CONTENT_TYPE = key('content-type');
const CREATED = key('created');

function entrySize(name: Buffer, value: Buffer): number {
  return fieldSize(name.length) + fieldSize(value.length);
}

function writeEntry(target: Buffer, name: Buffer, value: Buffer, offset: number): number {
  let at = writeHeader(target, 0x32, entrySize(name, value), offset);
  at = writeBytes(target, 0x0a, name, at);
  return writeBytes(target, 0x12, value, at);
}

/**
 * Encodes the event as the ReadResp message that every later read sends, so that a read only copies bytes. The fields
 * are in a fixed order (id, stream, revision, positions, then the metadata map with the type first), on which the
 * accessors below rely.
 */
export function encodeFrame(event: EventFields): Buffer {
  const recordSize =
    2 +
    fieldSize(ID_LENGTH) +
    fieldSize(fieldSize(event.stream.length)) +
    3 +
    varintSize(event.revision) +
    2 * varintSize(event.position) +
    fieldSize(entrySize(TYPE, event.type)) +
    fieldSize(entrySize(CONTENT_TYPE, event.contentType)) +
    fieldSize(entrySize(CREATED, event.created)) +
    fieldSize(event.metadata.length) +
    fieldSize(event.data.length);
  const readEventSize = fieldSize(recordSize) + 1 + varintSize(event.position);
  const frame = Buffer.allocUnsafe(fieldSize(readEventSize));
  let at = writeHeader(frame, 0x0a, readEventSize, 0);
  at = writeHeader(frame, 0x0a, recordSize, at);
  at = writeHeader(frame, 0x0a, fieldSize(ID_LENGTH), at);
  at = writeHeader(frame, 0x12, ID_LENGTH, at);
  at += frame.write(event.id, at, 'latin1');
  at = writeHeader(frame, 0x12, fieldSize(event.stream.length), at);
  at = writeBytes(frame, 0x1a, event.stream, at);
  frame[at] = 0x18;
  at = writeVarint(frame, event.revision, at + 1);
  frame[at] = 0x20;
  at = writeVarint(frame, event.position, at + 1);
  frame[at] = 0x28;
  at = writeVarint(frame, event.position, at + 1);
  at = writeEntry(frame, TYPE, event.type, at);
  at = writeEntry(frame, CONTENT_TYPE, event.contentType, at);
  at = writeEntry(frame, CREATED, event.created, at);
  at = writeBytes(frame, 0x3a, event.metadata, at);
  at = writeBytes(frame, 0x42, event.data, at);
  frame[at] = 0x18;
  writeVarint(frame, event.position, at + 1);
  return frame;
}

/** The revision to encode a tombstone with: its varint has as many bytes as that of EventStoreDB's own number. */
export const TOMBSTONE_REVISION = 2 ** 62;
/** The varint of 2^63 − 1, EventStoreDB's number of a tombstone, which no JavaScript number can hold. */
const TOMBSTONE_NUMBER = Buffer.from('ffffffffffffffff7f', 'hex');

/** Encodes a tombstone, whose `revision` is TOMBSTONE_REVISION. */
export function encodeTombstone(event: EventFields): Buffer {
  const frame = encodeFrame(event);
  TOMBSTONE_NUMBER.copy(frame, revisionOffset(frame));
  return frame;
}

/** Returns the offset behind the varint at `offset`. */
function afterVarint(frame: Buffer, offset: number): number {
  let at = offset;
  while ((frame[at] ?? 0) >= 128) at++;
  return at + 1;
}

/** Returns the offset of the event id's first character. */
function idOffset(frame: Buffer): number {
  return afterVarint(frame, afterVarint(frame, 1) + 1) + 4;
}

/** Returns the bytes of a length-delimited field whose tag is at `offset`. */
function fieldAt(frame: Buffer, offset: number): Buffer {
  let at = offset + 1;
  let length = 0;
  let scale = 1;
  for (;;) {
    const byte = frame[at++] ?? 0;
    length += (byte & 0x7f) * scale;
    if (byte < 0x80) return frame.subarray(at, at + length);
    scale *= 128;
  }
}

export function frameId(frame: Buffer): string {
  const at = idOffset(frame);
  return frame.toString('latin1', at, at + ID_LENGTH);
}

/** The stream's name, as UTF-8 bytes. */
export function frameStream(frame: Buffer): Buffer {
  return fieldAt(frame, afterVarint(frame, idOffset(frame) + ID_LENGTH + 1));
}

/** Returns the offset of the varint of the event's revision. */
function revisionOffset(frame: Buffer): number {
  const stream = frameStream(frame);
  return stream.byteOffset - frame.byteOffset + stream.length + 1;
}

/** The event's revision; not exact for a tombstone. */
export function frameRevision(frame: Buffer): number {
  return new ProtoReader(frame.subarray(revisionOffset(frame))).varint();
}

/** The event's type, as UTF-8 bytes. */
export function frameType(frame: Buffer): Buffer {
  let at = revisionOffset(frame) - 1;
  for (let field = 0; field < 3; field++) at = afterVarint(frame, at + 1);
  return fieldAt(frame, afterVarint(frame, at + 1) + 2 + TYPE.length);
}

/** The event's data. Walks the whole record, so use it rarely. */
export function frameData(frame: Buffer): Buffer {
  const record = fieldAt(fieldAt(frame, 0), 0);
  const reader = new ProtoReader(record);
  for (let field = reader.nextField(); field !== 0; field = reader.nextField()) {
    if (field === 8) return reader.bytes();
    reader.skip();
  }
  return Buffer.alloc(0);
}
