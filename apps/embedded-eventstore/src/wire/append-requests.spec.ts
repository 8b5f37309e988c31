import empty from 'google-protobuf/google/protobuf/empty_pb.js';
import timestamp from 'google-protobuf/google/protobuf/timestamp_pb.js';
import { describe, expect, it } from '@jest/globals';
import { decodeAppend, decodeBatchAppend, InvalidAppend } from './append-requests.js';
import { shared, streams } from './generated.js';

const ID = '0190a5b4-3c2d-7e1f-8a9b-0c1d2e3f4a5b';

function uuid(text: string) {
  const message = new shared.UUID();
  message.setString(text);
  return message;
}

function identifier(name: string) {
  const message = new shared.StreamIdentifier();
  message.setStreamName(new Uint8Array(Buffer.from(name, 'utf8')));
  return message;
}

function proposed(id = ID, type = 'WalletPosted') {
  const message = new streams.BatchAppendReq.ProposedMessage();
  message.setId(uuid(id));
  message.getMetadataMap().set('type', type);
  message.getMetadataMap().set('content-type', 'application/json');
  message.setData(new Uint8Array(Buffer.from('{"a":1}')));
  message.setCustomMetadata(new Uint8Array(Buffer.from('{"v":1}')));
  return message;
}

const bytesOf = (message: { serializeBinary(): Uint8Array }) =>
  Buffer.from(message.serializeBinary());

describe('a BatchAppend message', () => {
  it('decodes as the generated messages encode it', () => {
    const options = new streams.BatchAppendReq.Options();
    options.setStreamIdentifier(identifier('mteja-ñ'));
    options.setNoStream(new empty.Empty());
    const deadline = new timestamp.Timestamp();
    deadline.setSeconds(1_763_700_000);
    deadline.setNanos(250_000_000);
    options.setDeadline(deadline);
    const request = new streams.BatchAppendReq();
    request.setCorrelationId(uuid(ID));
    request.setOptions(options);
    request.addProposedMessages(proposed(ID.toUpperCase()));
    request.addProposedMessages(proposed(ID, 'Other'));
    request.setIsFinal(true);
    const chunk = decodeBatchAppend(bytesOf(request));
    expect(chunk).toMatchObject({ correlationId: ID, isFinal: true });
    expect(chunk.options).toMatchObject({ expected: 'no_stream', deadline: 1_763_700_000_250 });
    expect(chunk.options?.stream.toString('utf8')).toBe('mteja-ñ');
    expect(chunk.events.map(({ id, type }) => [id, type.toString()])).toEqual([
      [ID, 'WalletPosted'],
      [ID, 'Other'],
    ]);
    const [first] = chunk.events;
    expect(first?.data.toString()).toBe('{"a":1}');
    expect(first?.metadata.toString()).toBe('{"v":1}');
    expect(first?.contentType.toString()).toBe('application/json');
  });

  it.each([
    [
      'any',
      (options: InstanceType<typeof streams.BatchAppendReq.Options>) =>
        options.setAny(new empty.Empty()),
    ],
    [
      'stream_exists',
      (options: InstanceType<typeof streams.BatchAppendReq.Options>) =>
        options.setStreamExists(new empty.Empty()),
    ],
    [
      0,
      (options: InstanceType<typeof streams.BatchAppendReq.Options>) =>
        options.setStreamPosition('0'),
    ],
    [
      123456789012,
      (options: InstanceType<typeof streams.BatchAppendReq.Options>) =>
        options.setStreamPosition('123456789012'),
    ],
  ] as const)('contains the expected revision %s', (expected, set) => {
    const options = new streams.BatchAppendReq.Options();
    set(options);
    const request = new streams.BatchAppendReq();
    request.setOptions(options);
    expect(decodeBatchAppend(bytesOf(request)).options?.expected).toBe(expected);
  });

  it('is refused if an id is not a UUID or a type is missing', () => {
    for (const event of [proposed('not-a-uuid'), proposed(ID, '')]) {
      const request = new streams.BatchAppendReq();
      request.addProposedMessages(event);
      expect(() => decodeBatchAppend(bytesOf(request))).toThrow(InvalidAppend);
    }
  });

  it('is refused, or decodes without events, if it is cut off at any byte', () => {
    const request = new streams.BatchAppendReq();
    request.setCorrelationId(uuid(ID));
    request.addProposedMessages(proposed());
    const bytes = bytesOf(request);
    for (let length = 0; length < bytes.length; length++) {
      try {
        expect(decodeBatchAppend(bytes.subarray(0, length)).events).toHaveLength(0);
      } catch (error) {
        expect((error as Error).name).toMatch(/^(RangeError|InvalidAppend)$/);
      }
    }
  });
});

describe('an Append message', () => {
  it('contains the options, or one event', () => {
    const options = new streams.AppendReq.Options();
    options.setStreamIdentifier(identifier('s'));
    options.setRevision('7');
    const header = new streams.AppendReq();
    header.setOptions(options);
    const decoded = decodeAppend(bytesOf(header));
    expect(decoded.options).toMatchObject({ expected: 7, deadline: undefined });
    expect(decoded.event).toBeUndefined();
    const message = new streams.AppendReq.ProposedMessage();
    message.setId(uuid(ID));
    message.getMetadataMap().set('type', 'T');
    const entry = new streams.AppendReq();
    entry.setProposedMessage(message);
    expect(decodeAppend(bytesOf(entry)).event).toMatchObject({ id: ID });
  });
});
