import type { Message } from 'google-protobuf';
import any from 'google-protobuf/google/protobuf/any_pb.js';
import empty from 'google-protobuf/google/protobuf/empty_pb.js';
import { MAX_APPEND_BYTES, type Outcome } from '../store/commands.js';
import { type ExpectedRevision } from '../wire/append-requests.js';
import { Code, shared, status, streams } from '../wire/generated.js';
import { fieldSize, varintSize, writeHeader, writeVarint } from '../wire/proto.js';
import { type BadRequest, type Refusal, storageFailedSentence } from './errors.js';

const UUID_LENGTH = 36;

/** Encodes the BatchAppendResp of a success by hand, because every append sends one. */
export function encodeAppended(
  correlationId: string,
  appended: Extract<Outcome, { kind: 'written' }>,
): Buffer {
  const { revision, position } = appended;
  const positionSize = position === undefined ? 0 : 2 + 2 * varintSize(position);
  const success = (revision < 0 ? 2 : 1 + varintSize(revision)) + fieldSize(positionSize);
  const reply = Buffer.allocUnsafe(fieldSize(fieldSize(UUID_LENGTH)) + fieldSize(success));
  let at = writeHeader(reply, 0x0a, fieldSize(UUID_LENGTH), 0);
  at = writeHeader(reply, 0x12, UUID_LENGTH, at);
  at += reply.write(correlationId, at, 'latin1');
  at = writeHeader(reply, 0x1a, success, at);
  if (revision < 0) at = writeHeader(reply, 0x12, 0, at);
  else {
    reply[at] = 0x08;
    at = writeVarint(reply, revision, at + 1);
  }
  if (position === undefined) writeHeader(reply, 0x22, 0, at);
  else {
    at = writeHeader(reply, 0x1a, positionSize, at);
    reply[at] = 0x08;
    at = writeVarint(reply, position, at + 1);
    reply[at] = 0x10;
    writeVarint(reply, position, at + 1);
  }
  return reply;
}

interface ErrorParts {
  readonly code: (typeof Code)[keyof typeof Code];
  readonly message: string;
  readonly type: string;
  readonly details: Message;
}

/** Encodes the BatchAppendResp of a refusal: a google.rpc.Status with the reason in its details. */
export function encodeRefused(
  correlationId: string,
  refusal: Refusal | BadRequest,
  stream: Buffer,
  expected: ExpectedRevision,
): Buffer {
  const parts = errorParts(refusal, stream, expected);
  const details = new any.Any();
  details.pack(parts.details.serializeBinary(), parts.type);
  const error = new status.Status();
  error.setCode(parts.code);
  error.setMessage(parts.message);
  error.setDetails(details);
  const uuid = new shared.UUID();
  uuid.setString(correlationId);
  const reply = new streams.BatchAppendResp();
  reply.setCorrelationId(uuid);
  reply.setError(error);
  reply.setStreamIdentifier(identifierOf(stream));
  return Buffer.from(reply.serializeBinary());
}

function identifierOf(stream: Buffer) {
  const identifier = new shared.StreamIdentifier();
  identifier.setStreamName(new Uint8Array(stream));
  return identifier;
}

function errorParts(
  refusal: Refusal | BadRequest,
  stream: Buffer,
  expected: ExpectedRevision,
): ErrorParts {
  switch (refusal.kind) {
    case 'wrong-expected':
      return {
        code: Code.ALREADY_EXISTS,
        message: 'WrongExpectedVersion',
        type: 'event_store.client.WrongExpectedVersion',
        details: wrongExpected(refusal.actual, expected),
      };
    case 'stream-deleted': {
      const details = new shared.StreamDeleted();
      details.setStreamIdentifier(identifierOf(stream));
      const type = 'event_store.client.StreamDeleted';
      return { code: Code.NOT_FOUND, message: 'StreamDeleted', type, details };
    }
    case 'timed-out': {
      const type = 'event_store.client.Timeout';
      return {
        code: Code.DEADLINE_EXCEEDED,
        message: 'Timeout',
        type,
        details: new shared.Timeout(),
      };
    }
    case 'too-large': {
      const details = new shared.MaximumAppendSizeExceeded();
      details.setMaxappendsize(MAX_APPEND_BYTES);
      const type = 'event_store.client.MaximumAppendSizeExceeded';
      return { code: Code.INVALID_ARGUMENT, message: 'MaximumAppendSizeExceeded', type, details };
    }
    case 'bad-request':
      return badRequest(Code.INVALID_ARGUMENT, 'BadRequest', refusal.reason);
    case 'storage-failed': {
      // The client shows the message only for details that it does not know, and drops it otherwise.
      const sentence = storageFailedSentence(refusal.reason);
      return badRequest(Code.RESOURCE_EXHAUSTED, sentence, sentence);
    }
    case 'shutting-down': {
      const sentence = 'Server is shutting down';
      return badRequest(Code.UNAVAILABLE, sentence, sentence);
    }
  }
}

function badRequest(code: ErrorParts['code'], message: string, reason: string): ErrorParts {
  const details = new shared.BadRequest();
  details.setMessage(reason);
  return { code, message, type: 'event_store.client.BadRequest', details };
}

function wrongExpected(actual: number, expected: ExpectedRevision) {
  const details = new shared.WrongExpectedVersion();
  if (actual < 0) details.setCurrentNoStream(new empty.Empty());
  else details.setCurrentStreamRevision(actual.toString());
  if (expected === 'any') details.setExpectedAny(new empty.Empty());
  else if (expected === 'stream_exists') details.setExpectedStreamExists(new empty.Empty());
  else if (expected === 'no_stream') details.setExpectedNoStream(new empty.Empty());
  else details.setExpectedStreamPosition(expected.toString());
  return details;
}
