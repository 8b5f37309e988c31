import { EventStoreDBClient, streamNameFilter } from '@eventstore/db-client';
import type streams from '@eventstore/db-client/generated/streams_pb.js';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PassThrough } from 'node:stream';
import { encodeLogPage, encodeStreamPage, encodeSubscription } from './read-request.js';

type Request = InstanceType<typeof streams.ReadReq>;
type Begin = (grpc: { read: (request: Request) => PassThrough }) => PassThrough;

/** The request that the package would send for a test's read. */
function askedByPackage(read: (client: EventStoreDBClient) => unknown): Buffer {
  let asked: Request | undefined;
  const client = EventStoreDBClient.connectionString('esdb://127.0.0.1:1?tls=false');
  const grpc = {
    read: (request: Request) => {
      asked = request;
      return new PassThrough();
    },
  };
  const GRPCStreamCreator = (_: unknown, __: unknown, begin: Begin) => () =>
    Promise.resolve(begin(grpc));
  Object.assign(client, { GRPCStreamCreator });
  read(client);
  return Buffer.from(asked?.serializeBinary() ?? []);
}

const text = fc.string({ unit: 'binary', minLength: 1 }).map((any) => any.toWellFormed());
const uint64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const position = fc.record({ commit: uint64, prepare: uint64 });
const count = fc.integer({ min: 1, max: 100_000 });
const end = fc.constant('end' as const);

describe('a read is asked for as the package asks', () => {
  it('page by page of a stream', () => {
    const direction = fc.constantFrom('forwards' as const, 'backwards' as const);
    fc.assert(
      fc.property(
        text,
        direction,
        fc.oneof(end, uint64),
        count,
        (stream, direction, from, count) => {
          const options = { direction, fromRevision: from, maxCount: count };
          const theirs = askedByPackage((client) => client.readStream(stream, options));
          expect(encodeStreamPage({ stream, direction, from, count })).toEqual(theirs);
        },
      ),
    );
  });

  it('page by page of the log, backwards', () => {
    fc.assert(
      fc.property(fc.oneof(end, position), count, (before, count) => {
        const options = { direction: 'backwards', fromPosition: before, maxCount: count } as const;
        const theirs = askedByPackage((client) => client.readAll(options));
        expect(encodeLogPage(before, count)).toEqual(theirs);
      }),
    );
  });

  it('by a filtered subscription', () => {
    const start = fc.constant('start' as const);
    fc.assert(
      fc.property(
        fc.oneof(start, position),
        fc.array(text, { minLength: 1 }),
        (after, prefixes) => {
          const filter = streamNameFilter({
            prefixes,
            maxSearchWindow: 500,
            checkpointInterval: 1,
          });
          const options = { fromPosition: after, filter };
          const theirs = askedByPackage((client) => client.subscribeToAll(options));
          expect(encodeSubscription(after, prefixes, 500)).toEqual(theirs);
        },
      ),
    );
  });
});
