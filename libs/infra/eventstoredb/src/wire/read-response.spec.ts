import { type ReadStream } from '@eventstore/db-client/dist/streams/utils/ReadStream.js';
import { convertGrpcEvent } from '@eventstore/db-client/dist/utils/convertGrpcEvent.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decodeReadMessage, type StoredEvent } from './read-response.js';

type Resolved = Parameters<ConstructorParameters<typeof ReadStream>[1]>[0];
type Response = InstanceType<typeof streams.ReadResp>;
type Recorded = InstanceType<typeof streams.ReadResp.ReadEvent.RecordedEvent>;

const text = fc.string({ unit: 'binary' }).map((any) => any.toWellFormed());
const uint64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String);
const bytes = fc.oneof(
  fc.json().map((json) => new Uint8Array(Buffer.from(json, 'utf8'))),
  fc.uint8Array({ maxLength: 40 }),
);
const created = fc.oneof(
  fc.bigInt({ min: 0n, max: 80_000_000_000_000_000n }).map(String),
  fc.constantFrom('', '0', '123', 'yesterday'),
);
const contentType = fc.constantFrom('application/json', 'application/octet-stream', '');

const recorded: fc.Arbitrary<Recorded> = fc
  .record({
    id: fc.uuid(),
    stream: text,
    numbers: fc.tuple(uint64, uint64, uint64),
    map: fc.record(
      { type: text, 'content-type': contentType, created, more: text },
      { requiredKeys: [] },
    ),
    data: bytes,
    metadata: bytes,
  })
  .map(({ id, stream, numbers: [revision, commit, prepare], map, data, metadata }) => {
    const event = new streams.ReadResp.ReadEvent.RecordedEvent()
      .setId(new shared.UUID().setString(id))
      .setStreamIdentifier(
        new shared.StreamIdentifier().setStreamName(new Uint8Array(Buffer.from(stream, 'utf8'))),
      )
      .setStreamRevision(revision)
      .setCommitPosition(commit)
      .setPreparePosition(prepare)
      .setData(data)
      .setCustomMetadata(metadata);
    for (const [key, value] of Object.entries(map)) event.getMetadataMap().set(key, value);
    return event;
  });

const response = (event?: Recorded, link?: Recorded): Response =>
  new streams.ReadResp().setEvent(
    new streams.ReadResp.ReadEvent().setEvent(event).setLink(link).setCommitPosition('7'),
  );
const bytesOf = (message: Response): Buffer => Buffer.from(message.serializeBinary());

/** A field of each kind that no message of ours has. */
const unknownFields = Buffer.concat([
  Buffer.from([0xf8, 0x01, 0xff, 0x01]),
  Buffer.from([0xf9, 0x01, 1, 2, 3, 4, 5, 6, 7, 8]),
  Buffer.from([0xfa, 0x01, 3, 1, 2, 3]),
  Buffer.from([0xfd, 0x01, 1, 2, 3, 4]),
]);

/** The event that the package reads from the same bytes, in our form. */
function asThePackage(message: Buffer) {
  const read = streams.ReadResp.deserializeBinary(new Uint8Array(message)).getEvent();
  const { event } = convertGrpcEvent(read as Resolved);
  if (!event) return undefined;
  const { id, type, streamId, revision, position, created: date, isJson, data, metadata } = event;
  return {
    id,
    type,
    stream: streamId,
    revision,
    position,
    createdMs: date.getTime(),
    isJson,
    data,
    metadata,
  };
}

/** Our event, with its JSON parsed as the package does. */
function inFull(event: StoredEvent | undefined) {
  if (!event) return undefined;
  const json = (of: Buffer, otherwise: unknown): unknown => {
    try {
      return JSON.parse(of.toString('utf8'));
    } catch {
      return otherwise;
    }
  };
  const { data, metadata } = event;
  const raw = new Uint8Array(metadata);
  return {
    ...event,
    data: event.isJson ? json(data, data.toString('utf8')) : new Uint8Array(data),
    metadata: metadata.length === 0 ? undefined : json(metadata, raw),
  };
}

describe('an event as it is read', () => {
  it('is what the package makes of the same bytes', () => {
    fc.assert(
      fc.property(recorded, fc.option(recorded), fc.boolean(), (event, link, padded) => {
        const message = bytesOf(response(event, link ?? undefined));
        const sent = padded ? Buffer.concat([unknownFields, message, unknownFields]) : message;
        const read = decodeReadMessage(sent);
        expect(read.kind === 'event' && inFull(read.event)).toEqual(asThePackage(message));
      }),
      { numRuns: 300 },
    );
  });

  it('is empty if a link points to an event that is gone', () => {
    fc.assert(
      fc.property(recorded, (link) => {
        const message = bytesOf(response(undefined, link));
        expect(asThePackage(message)).toBeUndefined();
        expect(decodeReadMessage(message)).toEqual({ kind: 'event', event: undefined });
      }),
      { numRuns: 20 },
    );
  });

  it('is a system event like any other', () => {
    const [event] = fc.sample(recorded, 1);
    event?.getMetadataMap().set('type', '$metadata');
    event?.getStreamIdentifier()?.setStreamName(new Uint8Array(Buffer.from('$$s')));
    const read = decodeReadMessage(bytesOf(response(event)));
    expect(read).toMatchObject({ event: { type: '$metadata', stream: '$$s' } });
  });

  it('has its own type, whichever was read before', () => {
    // The first two have the same length and share a place in the cache; the third is a prefix of the first.
    for (const type of ['Aa', 'BB', 'A', 'Aa', 'é', 'BB']) {
      const [event] = fc.sample(recorded, 1);
      event?.getMetadataMap().set('type', type);
      expect(decodeReadMessage(bytesOf(response(event)))).toMatchObject({ event: { type } });
    }
  });

  it('is refused if it has no id or no stream', () => {
    for (const clear of ['clearId', 'clearStreamIdentifier'] as const) {
      const [event] = fc.sample(recorded, 1);
      event?.[clear]();
      expect(() => decodeReadMessage(bytesOf(response(event)))).toThrow(RangeError);
    }
  });

  it('is refused if it is cut off, at any byte', () => {
    fc.assert(
      fc.property(recorded, (event) => {
        const message = bytesOf(response(event));
        // A matcher for each length would format thousands of stack traces.
        const taken = Array.from(message.keys())
          .slice(1)
          .filter((length) => !isRefused(message.subarray(0, length)));
        expect(taken).toEqual([]);
      }),
      { numRuns: 20 },
    );
  });
});

describe('a message between events', () => {
  it('is a checkpoint with its position', () => {
    fc.assert(
      fc.property(uint64, uint64, (commit, prepare) => {
        const checkpoint = new streams.ReadResp.Checkpoint()
          .setCommitPosition(commit)
          .setPreparePosition(prepare);
        expect(
          decodeReadMessage(bytesOf(new streams.ReadResp().setCheckpoint(checkpoint))),
        ).toEqual({
          kind: 'checkpoint',
          position: { commit: BigInt(commit), prepare: BigInt(prepare) },
        });
      }),
    );
  });

  const confirmation = new streams.ReadResp.SubscriptionConfirmation().setSubscriptionId('s');
  const notFound = new streams.ReadResp.StreamNotFound().setStreamIdentifier(
    new shared.StreamIdentifier().setStreamName(new Uint8Array([1])),
  );
  it.each([
    ['confirmation', new streams.ReadResp().setConfirmation(confirmation)],
    ['stream-not-found', new streams.ReadResp().setStreamNotFound(notFound)],
    ['caught-up', new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp())],
    ['other', new streams.ReadResp().setFellBehind(new streams.ReadResp.FellBehind())],
    ['other', new streams.ReadResp().setFirstStreamPosition('18446744073709551615')],
    ['other', new streams.ReadResp().setLastAllStreamPosition(new shared.AllStreamPosition())],
  ])('is a %s', (kind, message) => {
    expect(decodeReadMessage(bytesOf(message))).toEqual({ kind });
    expect(decodeReadMessage(Buffer.concat([unknownFields, bytesOf(message)]))).toEqual({ kind });
  });
});

/** @returns true if it throws a RangeError */
function isRefused(bytes: Buffer): boolean {
  try {
    decodeReadMessage(bytes);
    return false;
  } catch (error) {
    return error instanceof RangeError;
  }
}

describe('bytes that are no message', () => {
  it('are refused, or read without harm', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (any) => {
        try {
          decodeReadMessage(Buffer.from(any));
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }),
    );
  });
});
