import { ProtoReader } from './proto.js';

/** `any`, `stream_exists`, `no_stream`, or the revision that must be the head. */
export type ExpectedRevision = 'any' | 'stream_exists' | 'no_stream' | number;

/** One event of an append, as sent; the buffers are views of the request. */
export interface ProposedEvent {
  /** Lower-case UUID. */
  readonly id: string;
  readonly type: Buffer;
  readonly contentType: Buffer;
  readonly metadata: Buffer;
  readonly data: Buffer;
}

export interface AppendOptions {
  readonly stream: Buffer;
  readonly expected: ExpectedRevision;
  /** Milliseconds of the Unix epoch. */
  readonly deadline: number | undefined;
}

/** One message of BatchAppend: a chunk of the append that its correlation id names. */
export interface BatchAppendChunk {
  readonly correlationId: string;
  readonly options: AppendOptions | undefined;
  readonly events: readonly ProposedEvent[];
  readonly isFinal: boolean;
}

/** One message of Append: first the options, then one event in each message. */
export interface AppendMessage {
  readonly options: AppendOptions | undefined;
  readonly event: ProposedEvent | undefined;
}

/** The request breaks a rule of the protocol, which the message names. */
export class InvalidAppend extends Error {
  override readonly name = 'InvalidAppend';
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const EMPTY: Buffer = Buffer.alloc(0);
const UNKNOWN_TYPE: Buffer = Buffer.from('application/octet-stream');

function readUuid(bytes: Buffer): string {
  const reader = new ProtoReader(bytes);
  for (let field = reader.nextField(); field !== 0; field = reader.nextField()) {
    if (field === 2) {
      const text = reader.text().toLowerCase();
      if (UUID.test(text)) return text;
      break;
    }
    reader.skip();
  }
  throw new InvalidAppend('ids must be UUIDs in their string form');
}

function readStreamIdentifier(bytes: Buffer): Buffer {
  const reader = new ProtoReader(bytes);
  for (let field = reader.nextField(); field !== 0; field = reader.nextField()) {
    if (field === 3) return reader.bytes();
    reader.skip();
  }
  return EMPTY;
}

function readTimestamp(bytes: Buffer): number {
  const reader = new ProtoReader(bytes);
  let milliseconds = 0;
  for (let field = reader.nextField(); field !== 0; field = reader.nextField()) {
    if (field === 1) milliseconds += reader.varint() * 1000;
    else if (field === 2) milliseconds += reader.varint() / 1_000_000;
    else reader.skip();
  }
  return milliseconds;
}

/** Append and BatchAppend encode the expected revision alike, but not the deadline. */
function readOptions(bytes: Buffer): AppendOptions {
  const reader = new ProtoReader(bytes);
  let stream = EMPTY;
  let expected: ExpectedRevision = 'any';
  let deadline: number | undefined;
  for (let field = reader.nextField(); field !== 0; field = reader.nextField()) {
    if (field === 1) stream = readStreamIdentifier(reader.bytes());
    else if (field === 2) expected = reader.varint();
    else if (field === 6) deadline = readTimestamp(reader.bytes());
    else {
      expected = EXPECTED_BY_FIELD[field] ?? expected;
      reader.skip();
    }
  }
  return { stream, expected, deadline };
}

/** Field number → meaning, in both options messages. */
const EXPECTED_BY_FIELD: ExpectedRevision[] = [];
EXPECTED_BY_FIELD[3] = 'no_stream';
EXPECTED_BY_FIELD[4] = 'any';
EXPECTED_BY_FIELD[5] = 'stream_exists';

function readProposed(bytes: Buffer): ProposedEvent {
  const reader = new ProtoReader(bytes);
  let id: string | undefined;
  let type = EMPTY;
  let contentType = UNKNOWN_TYPE;
  let metadata = EMPTY;
  let data = EMPTY;
  for (let field = reader.nextField(); field !== 0; field = reader.nextField()) {
    if (field === 1) id = readUuid(reader.bytes());
    else if (field === 2) {
      const [name, value] = readMapEntry(reader.bytes());
      if (name === 'type') type = value;
      else if (name === 'content-type') contentType = value;
    } else if (field === 3) metadata = reader.bytes();
    else if (field === 4) data = reader.bytes();
    else reader.skip();
  }
  if (id === undefined) throw new InvalidAppend('every event needs an id');
  if (type.length === 0) throw new InvalidAppend('every event needs a type');
  return { id, type, contentType, metadata, data };
}

function readMapEntry(bytes: Buffer): [string, Buffer] {
  const reader = new ProtoReader(bytes);
  let name = '';
  let value = EMPTY;
  for (let field = reader.nextField(); field !== 0; field = reader.nextField()) {
    if (field === 1) name = reader.bytes().toString('latin1');
    else if (field === 2) value = reader.bytes();
    else reader.skip();
  }
  return [name, value];
}

/** @throws InvalidAppend, RangeError if the bytes are not such a message */
export function decodeBatchAppend(bytes: Buffer): BatchAppendChunk {
  const reader = new ProtoReader(bytes);
  let correlationId = '';
  let options: AppendOptions | undefined;
  const events: ProposedEvent[] = [];
  let isFinal = false;
  for (let field = reader.nextField(); field !== 0; field = reader.nextField()) {
    if (field === 1) correlationId = readUuid(reader.bytes());
    else if (field === 2) options = readOptions(reader.bytes());
    else if (field === 3) events.push(readProposed(reader.bytes()));
    else if (field === 4) isFinal = reader.varint() !== 0;
    else reader.skip();
  }
  return { correlationId, options, events, isFinal };
}

/** Returns the id of the append to which a chunk that cannot be decoded belongs; undefined if it is not readable either. */
export function correlationIdOf(bytes: Buffer): string | undefined {
  try {
    const reader = new ProtoReader(bytes);
    for (let field = reader.nextField(); field !== 0; field = reader.nextField()) {
      if (field === 1) return readUuid(reader.bytes());
      reader.skip();
    }
    return undefined;
  } catch {
    return undefined;
  }
}

/** @throws InvalidAppend, RangeError if the bytes are not such a message */
export function decodeAppend(bytes: Buffer): AppendMessage {
  const reader = new ProtoReader(bytes);
  let options: AppendOptions | undefined;
  let event: ProposedEvent | undefined;
  for (let field = reader.nextField(); field !== 0; field = reader.nextField()) {
    if (field === 1) options = readOptions(reader.bytes());
    else if (field === 2) event = readProposed(reader.bytes());
    else reader.skip();
  }
  return { options, event };
}
