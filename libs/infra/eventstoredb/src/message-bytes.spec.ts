import streams from '@eventstore/db-client/generated/streams_pb.js';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { handOverBytes } from './append-connection.js';

const serialized = (data: string): Buffer => {
  const message = new streams.BatchAppendReq.ProposedMessage();
  message.setData(data);
  return Buffer.from(message.serializeBinary());
};

describe('an event’s bytes', () => {
  it('are the same on the wire as the client’s own base64 gives', () => {
    const texts = fc
      .sample(fc.json(), 50)
      .concat('', '{"name":"Wanjikũ 🌍"}')
      .map((text) => Buffer.from(text, 'utf8').toString('base64'));
    const before = texts.map(serialized);
    handOverBytes();
    handOverBytes();
    expect(texts.map(serialized)).toEqual(before);
  });
});
