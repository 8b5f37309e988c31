import { type LogPosition, readPosition, readUuid } from './shared-messages.js';
import { bytesTag, ProtoReader, varintTag } from './proto-reader.js';

/** The server's answer to one append. */
export type BatchAnswer = BatchSuccess | BatchRefusal;

interface BatchSuccess {
  readonly kind: 'success';
  readonly correlationId: string;
  readonly revision: bigint;
  /** Position of the append's last event; undefined if the server names none. */
  readonly position: LogPosition | undefined;
}

interface BatchRefusal {
  readonly kind: 'refusal';
  readonly correlationId: string;
  /** The gRPC status. */
  readonly code: number;
  /** Type of the message that details the refusal: `event_store.client.…`; empty if there is none. */
  readonly type: string;
  readonly details: Buffer;
  readonly message: string;
}

const none: Buffer = Buffer.alloc(0);

/** @throws RangeError if the bytes are no BatchAppendResp */
export function decodeBatchAnswer(bytes: Buffer): BatchAnswer {
  const reader = new ProtoReader(bytes);
  let correlationId = '';
  let said: Omit<BatchSuccess, 'correlationId'> | Omit<BatchRefusal, 'correlationId'> | undefined;
  for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag())
    if (tag === bytesTag(1)) correlationId = readUuid(reader);
    else if (tag === bytesTag(2)) said = readStatus(reader);
    else if (tag === bytesTag(3)) said = readSuccess(reader);
    else reader.skip(tag);
  if (!said) throw new RangeError('an answer to an append says neither success nor error');
  return { ...said, correlationId };
}

function readSuccess(reader: ProtoReader): Omit<BatchSuccess, 'correlationId'> {
  let revision = 0n;
  let position: LogPosition | undefined;
  const outer = reader.enter();
  for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag())
    if (tag === varintTag(1)) revision = reader.uint64();
    else if (tag === bytesTag(3)) position = readPosition(reader);
    else reader.skip(tag);
  reader.leave(outer);
  return { kind: 'success', revision, position };
}

/** Reads a google.rpc.Status whose details are one google.protobuf.Any. */
function readStatus(reader: ProtoReader): Omit<BatchRefusal, 'correlationId'> {
  let code = 0;
  let message = '';
  let any = { type: '', details: none };
  const outer = reader.enter();
  for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag())
    if (tag === varintTag(1)) code = reader.number();
    else if (tag === bytesTag(2)) message = reader.text();
    else if (tag === bytesTag(3)) any = readAny(reader);
    else reader.skip(tag);
  reader.leave(outer);
  return { kind: 'refusal', code, message, ...any };
}

function readAny(reader: ProtoReader): { type: string; details: Buffer } {
  let url = '';
  let details = none;
  const outer = reader.enter();
  for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag())
    if (tag === bytesTag(1)) url = reader.text();
    else if (tag === bytesTag(2)) details = reader.bytes();
    else reader.skip(tag);
  reader.leave(outer);
  return { type: url.slice(url.lastIndexOf('/') + 1), details };
}

/** Returns the head that a WrongExpectedVersion names. */
export function decodeActualRevision(details: Buffer): 'no_stream' | bigint {
  const reader = new ProtoReader(details);
  let actual: 'no_stream' | bigint = 'no_stream';
  for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag())
    if (tag === varintTag(1)) actual = reader.uint64();
    else reader.skip(tag);
  return actual;
}

/** Returns the limit that a MaximumAppendSizeExceeded names, in bytes. */
export function decodeMaxAppendSize(details: Buffer): number {
  const reader = new ProtoReader(details);
  let limit = 0;
  for (let tag = reader.nextTag(); tag !== 0; tag = reader.nextTag())
    if (tag === varintTag(1)) limit = reader.number();
    else reader.skip(tag);
  return limit;
}
