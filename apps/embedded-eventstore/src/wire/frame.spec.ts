import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  encodeFrame,
  encodeTombstone,
  type EventFields,
  frameData,
  frameId,
  frameRevision,
  frameStream,
  frameType,
  TOMBSTONE_REVISION,
} from './frame.js';
import { streams } from './generated.js';

const bytes = (maxLength: number) =>
  fc.uint8Array({ maxLength }).map((array): Buffer => Buffer.from(array));
const text = fc
  .string({ minLength: 1, maxLength: 300, unit: 'grapheme' })
  .map((value): Buffer => Buffer.from(value, 'utf8'));
const whole = fc.oneof(fc.nat(), fc.maxSafeNat());

const events: fc.Arbitrary<EventFields> = fc.record({
  id: fc.uuid(),
  stream: text,
  revision: whole,
  position: whole,
  type: text,
  contentType: fc.constant(Buffer.from('application/json')),
  created: fc.constant(Buffer.from('17637000000000000')),
  metadata: bytes(400),
  data: bytes(40_000),
});

describe('a frame', () => {
  it('is the ReadResp that the generated messages decode to the same event', () => {
    fc.assert(
      fc.property(events, (event) => {
        const resolved = streams.ReadResp.deserializeBinary(encodeFrame(event)).getEvent();
        const record = resolved?.getEvent();
        expect(record?.getId()?.getString()).toBe(event.id);
        expect(Buffer.from(record?.getStreamIdentifier()?.getStreamName_asU8() ?? [])).toEqual(
          event.stream,
        );
        expect(record?.getStreamRevision()).toBe(event.revision.toString());
        expect(record?.getCommitPosition()).toBe(event.position.toString());
        expect(record?.getPreparePosition()).toBe(event.position.toString());
        expect(resolved?.getCommitPosition()).toBe(event.position.toString());
        expect(record?.getMetadataMap().get('type')).toBe(event.type.toString('utf8'));
        expect(record?.getMetadataMap().get('content-type')).toBe('application/json');
        expect(record?.getMetadataMap().get('created')).toBe('17637000000000000');
        expect(Buffer.from(record?.getData_asU8() ?? [])).toEqual(event.data);
        expect(Buffer.from(record?.getCustomMetadata_asU8() ?? [])).toEqual(event.metadata);
      }),
    );
  });

  it('has the largest event number for a tombstone, and the other fields of any frame', () => {
    fc.assert(
      fc.property(events, (event) => {
        const frame = encodeTombstone({ ...event, revision: TOMBSTONE_REVISION });
        const record = streams.ReadResp.deserializeBinary(frame).getEvent()?.getEvent();
        expect(record?.getStreamRevision()).toBe('9223372036854775807');
        expect(record?.getCommitPosition()).toBe(event.position.toString());
        expect(frameStream(frame).equals(event.stream)).toBe(true);
        expect(frameType(frame).equals(event.type)).toBe(true);
      }),
    );
  });

  it('gives its id, stream, revision, type and data without being decoded', () => {
    fc.assert(
      fc.property(events, (event) => {
        const frame = encodeFrame(event);
        expect(frameId(frame)).toBe(event.id);
        expect(frameRevision(frame)).toBe(event.revision);
        expect(frameStream(frame).equals(event.stream)).toBe(true);
        expect(frameType(frame).equals(event.type)).toBe(true);
        expect(frameData(frame).equals(event.data)).toBe(true);
      }),
    );
  });
});
