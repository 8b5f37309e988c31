import { describe, expect, it } from '@jest/globals';
import { Code, shared, streams } from '../wire/generated.js';
import { encodeRefused } from './batch-replies.js';

const correlationId = '6f8f57c4-96f3-4d63-8b0c-1e9f35b6c7a1';
const stream = Buffer.from('mteja-ñandú');

type Arguments = Parameters<typeof encodeRefused>;

function refused(refusal: Arguments[1], expected: Arguments[3] = 'any') {
  const bytes = encodeRefused(correlationId, refusal, stream, expected);
  const reply = streams.BatchAppendResp.deserializeBinary(bytes);
  expect(reply.getCorrelationId()?.getString()).toBe(correlationId);
  expect(reply.getStreamIdentifier()?.getStreamName_asU8()).toEqual(new Uint8Array(stream));
  const error = reply.getError();
  const details = error?.getDetails();
  return {
    code: error?.getCode(),
    message: error?.getMessage(),
    type: details?.getTypeName().replace('event_store.client.', ''),
    details: details?.getValue_asU8() ?? new Uint8Array(),
  };
}

describe('the refusal of an append in a batch', () => {
  it.each([
    [{ kind: 'wrong-expected', actual: 3 }, Code.ALREADY_EXISTS, 'WrongExpectedVersion'],
    [{ kind: 'stream-deleted' }, Code.NOT_FOUND, 'StreamDeleted'],
    [{ kind: 'timed-out' }, Code.DEADLINE_EXCEEDED, 'Timeout'],
    [{ kind: 'too-large' }, Code.INVALID_ARGUMENT, 'MaximumAppendSizeExceeded'],
    [{ kind: 'bad-request', reason: 'no id' }, Code.INVALID_ARGUMENT, 'BadRequest'],
  ] as const)('has EventStoreDB’s code, message and details: %j', (refusal, code, name) => {
    expect(refused(refusal)).toMatchObject({ code, message: name, type: name });
  });

  it('names the expected and the actual revision', () => {
    const versions = (actual: number, expected: Arguments[3]) => {
      const { details } = refused({ kind: 'wrong-expected', actual }, expected);
      return shared.WrongExpectedVersion.deserializeBinary(details);
    };
    expect(versions(3, 7).getCurrentStreamRevision()).toBe('3');
    expect(versions(3, 7).getExpectedStreamPosition()).toBe('7');
    expect(versions(-1, 'stream_exists').hasCurrentNoStream()).toBe(true);
    expect(versions(-1, 'stream_exists').hasExpectedStreamExists()).toBe(true);
    expect(versions(0, 'no_stream').hasExpectedNoStream()).toBe(true);
    expect(versions(0, 'any').hasExpectedAny()).toBe(true);
  });

  it('names the largest append, and the fault of a request', () => {
    const { details } = refused({ kind: 'too-large' });
    const limit = shared.MaximumAppendSizeExceeded.deserializeBinary(details);
    expect(limit.getMaxappendsize()).toBe(1024 * 1024);
    const bad = refused({ kind: 'bad-request', reason: 'no id' });
    expect(shared.BadRequest.deserializeBinary(bad.details).getMessage()).toBe('no id');
  });
});
