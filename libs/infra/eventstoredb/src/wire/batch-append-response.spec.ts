import { unpackToCommandError } from '@eventstore/db-client/dist/streams/appendToStream/unpackError.js';
import codes from '@eventstore/db-client/generated/code_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import status from '@eventstore/db-client/generated/status_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Message } from 'google-protobuf';
import any from 'google-protobuf/google/protobuf/any_pb.js';
import empty from 'google-protobuf/google/protobuf/empty_pb.js';
import { DiskRefused, errorOf } from '../refusal.js';
import { type ProposedAppend } from './batch-append-request.js';
import { type BatchAnswer, decodeBatchAnswer } from './batch-append-response.js';

const id = '0190a5b4-3c2d-4e1f-8a9b-0c1d2e3f4a5b';
const uint64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const append: ProposedAppend = { stream: 's', expectedRevision: 7n, events: [] };
const bytesOf = (message: Message): Buffer => Buffer.from(message.serializeBinary());
const answer = () =>
  new streams.BatchAppendResp().setCorrelationId(new shared.UUID().setString(id));

/** A field that no message of ours has. */
const unknownField = Buffer.from([0xfa, 0x01, 0x03, 1, 2, 3]);

describe('a success', () => {
  it('is read as the generated messages write it, for all numbers', () => {
    fc.assert(
      fc.property(uint64, uint64, uint64, fc.boolean(), (revision, commit, prepare, placed) => {
        const success = new streams.BatchAppendResp.Success().setCurrentRevision(String(revision));
        const position = new shared.AllStreamPosition()
          .setCommitPosition(String(commit))
          .setPreparePosition(String(prepare));
        if (placed) success.setPosition(position);
        else success.setNoPosition(new empty.Empty());
        const bytes = bytesOf(answer().setSuccess(success));
        const expected = {
          kind: 'success',
          correlationId: id,
          revision,
          position: placed ? { commit, prepare } : undefined,
        };
        expect(decodeBatchAnswer(bytes)).toEqual(expected);
        expect(decodeBatchAnswer(Buffer.concat([unknownField, bytes, unknownField]))).toEqual(
          expected,
        );
      }),
    );
  });
});

describe('a refusal', () => {
  const wrong = new shared.WrongExpectedVersion().setExpectedStreamPosition('7');
  const details: [string, Message][] = [
    ['WrongExpectedVersion', wrong.clone().setCurrentNoStream(new empty.Empty())],
    ['WrongExpectedVersion', wrong.clone().setCurrentStreamRevision('0')],
    ['WrongExpectedVersion', wrong.clone().setCurrentStreamRevision('18446744073709551614')],
    ['StreamDeleted', new shared.StreamDeleted()],
    ['AccessDenied', new shared.AccessDenied()],
    ['Timeout', new shared.Timeout()],
    ['Unknown', new shared.Unknown()],
    ['MaximumAppendSizeExceeded', new shared.MaximumAppendSizeExceeded().setMaxappendsize(1048576)],
    ['BadRequest', new shared.BadRequest().setMessage('the message cannot be read')],
  ];

  it.each(details)('is the error that the package makes of it: %s', (type, message) => {
    const packed = new any.Any();
    packed.pack(message.serializeBinary(), `event_store.client.${type}`);
    const error = new status.Status().setMessage('no').setDetails(packed);
    const ours = refusalOf(bytesOf(answer().setError(error)));
    const theirs = unpackToCommandError(error, append.stream);
    expect(ours).toBeInstanceOf(theirs.constructor);
    expect(Object.entries(ours)).toEqual(Object.entries(theirs));
    expect(ours.message).toBe(theirs.message);
  });

  it('without details is an error as well', () => {
    const error = new status.Status().setMessage('no');
    expect(refusalOf(bytesOf(answer().setError(error)))).toMatchObject({ type: 'unknown' });
  });

  it('is recognised by its status if the store cannot write to its disk', () => {
    const error = new status.Status().setCode(codes.Code.RESOURCE_EXHAUSTED).setMessage('ENOSPC');
    expect(refusalOf(bytesOf(answer().setError(error)))).toBeInstanceOf(DiskRefused);
  });

  function refusalOf(bytes: Buffer): Error {
    const read: BatchAnswer = decodeBatchAnswer(bytes);
    if (read.kind !== 'refusal') throw new Error('a refusal was expected');
    expect(read.correlationId).toBe(id);
    return errorOf(read, append);
  }
});

describe('an answer that is none', () => {
  it('is refused: cut off at any byte, empty, or of another kind', () => {
    const position = new shared.AllStreamPosition().setCommitPosition('9').setPreparePosition('9');
    const success = new streams.BatchAppendResp.Success().setCurrentRevision('300');
    const bytes = bytesOf(answer().setSuccess(success.setPosition(position)));
    for (let length = 0; length < bytes.length; length += 1)
      expect(() => decodeBatchAnswer(bytes.subarray(0, length))).toThrow(RangeError);
    expect(() => decodeBatchAnswer(Buffer.from('not a message'))).toThrow(RangeError);
  });
});
