import { type LogPosition, readPosition, readUuid } from './shared-messages.js';
import { bytesTag, ProtoReader, varintTag } from './proto-reader.js';
import { Words } from './words.js';

/** An event as the store keeps it; its data and metadata are views of the message, not parsed yet. */
export interface StoredEvent {
  readonly id: string;
  readonly type: string;
  readonly stream: string;
  readonly revision: bigint;
  readonly position: LogPosition;
  /** The time at which the store recorded it: milliseconds of the Unix epoch. */
  readonly createdMs: number;
  /** True if the data are marked as JSON. */
  readonly isJson: boolean;
  readonly data: Buffer;
  readonly metadata: Buffer;
}

/** One message of a Read call, with the parts that the port uses. */
export type ReadMessage =
  /** Without an event if a link points to a deleted one. */
  | { readonly kind: 'event'; readonly event: StoredEvent | undefined }
  | { readonly kind: 'checkpoint'; readonly position: LogPosition }
  | { readonly kind: 'confirmation' | 'stream-not-found' | 'caught-up' | 'other' };

const none: Buffer = Buffer.alloc(0);
/** Types, and other names that repeat. */
const names = new Words(256);
/** A stream's events usually follow each other closely. */
const streams = new Words(4096);
const confirmation: ReadMessage = { kind: 'confirmation' };
const streamNotFound: ReadMessage = { kind: 'stream-not-found' };
const caughtUp: ReadMessage = { kind: 'caught-up' };
const other: ReadMessage = { kind: 'other' };

/** @throws RangeError if the bytes are no ReadResp */
export function decodeReadMessage(bytes: Buffer): ReadMessage {
  const reader = new ProtoReader(bytes);
  let message = other;
  for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag())
    if (tag === bytesTag(1)) message = { kind: 'event', event: readEvent(reader) };
    else if (tag === bytesTag(3)) message = { kind: 'checkpoint', position: readPosition(reader) };
    else {
      if (tag === bytesTag(2)) message = confirmation;
      else if (tag === bytesTag(4)) message = streamNotFound;
      else if (tag === bytesTag(8)) message = caughtUp;
      reader.skip(tag);
    }
  return message;
}

/** Reads ReadEvent: the event, the link that led to it, and a position that the event also contains. */
function readEvent(reader: ProtoReader): StoredEvent | undefined {
  let event: StoredEvent | undefined;
  const outer = reader.enter();
  for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag())
    if (tag === bytesTag(1)) event = readRecorded(reader);
    else reader.skip(tag);
  reader.leave(outer);
  return event;
}

function readRecorded(reader: ProtoReader): StoredEvent {
  let id = '';
  let stream: string | undefined;
  let revision = 0n;
  let commit = 0n;
  let prepare = 0n;
  const described: Described = {
    type: '<no-event-type-provided>',
    contentType: 'application/octet-stream',
    created: undefined,
  };
  let metadata = none;
  let data = none;
  const outer = reader.enter();
  for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag())
    if (tag === bytesTag(1)) id = readUuid(reader);
    else if (tag === bytesTag(2)) stream = readStreamName(reader);
    else if (tag === varintTag(3)) revision = reader.uint64();
    else if (tag === varintTag(4)) prepare = reader.uint64();
    else if (tag === varintTag(5)) commit = reader.uint64();
    else if (tag === bytesTag(6)) readEntry(reader, described);
    else if (tag === bytesTag(7)) metadata = reader.bytes();
    else if (tag === bytesTag(8)) data = reader.bytes();
    else reader.skip(tag);
  reader.leave(outer);
  if (id === '' || stream === undefined)
    throw new RangeError('a recorded event has no id or no stream');
  return {
    id,
    type: described.type,
    stream,
    revision,
    position: { commit, prepare },
    createdMs: msOfTicks(described.created),
    isJson: described.contentType === 'application/json',
    data,
    metadata,
  };
}

function readStreamName(reader: ProtoReader): string {
  let name = '';
  const outer = reader.enter();
  for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag())
    if (tag === bytesTag(3)) name = reader.word(streams);
    else reader.skip(tag);
  reader.leave(outer);
  return name;
}

/** Values from an event's metadata map. */
interface Described {
  type: string;
  contentType: string;
  created: string | undefined;
}

function readEntry(reader: ProtoReader, described: Described): void {
  let key = '';
  let value = '';
  const outer = reader.enter();
  for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag())
    if (tag === bytesTag(1)) key = reader.word(names);
    // This value is different each time.
    else if (tag === bytesTag(2)) value = key === 'created' ? reader.text() : reader.word(names);
    else reader.skip(tag);
  reader.leave(outer);
  if (key === 'type') described.type = value;
  else if (key === 'content-type') described.contentType = value;
  else if (key === 'created') described.created = value;
}

/** Ticks are 100 ns. Text that is not a number means the epoch, as in the package. */
function msOfTicks(ticks: string | undefined): number {
  if (ticks === undefined || !/^\d+$/.test(ticks)) return 0;
  return Number(ticks.slice(0, -4));
}
