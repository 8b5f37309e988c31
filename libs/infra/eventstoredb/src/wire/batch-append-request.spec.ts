import { EventStoreDBClient, jsonEvent, type JSONType } from '@eventstore/db-client';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { EventEmitter } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { encodeBatchAppend, type ProposedAppend } from './batch-append-request.js';

type Request = InstanceType<typeof streams.BatchAppendReq>;

/** The messages that the package would write for the append. */
async function sentByPackage(append: ProposedAppend): Promise<Request[]> {
  const sent: Request[] = [];
  const call = Object.assign(new EventEmitter(), {
    write: (message: Request) => sent.push(message),
  });
  const client = EventStoreDBClient.connectionString('esdb://127.0.0.1:1?tls=false');
  Object.assign(client, {
    supports: () => Promise.resolve(true),
    GRPCStreamCreator: () => () => Promise.resolve(call),
  });
  const events = append.events.map(({ id, type, data, metadata }) =>
    jsonEvent({
      id,
      type,
      data: JSON.parse(data) as JSONType,
      metadata: new Uint8Array(Buffer.from(metadata, 'utf8')),
    }),
  );
  const { expectedRevision } = append;
  void client.appendToStream(append.stream, events, { expectedRevision, requiresLeader: true });
  await nextTurn();
  return sent;
}

const text = fc.string({ unit: 'binary', minLength: 1 }).map((any) => any.toWellFormed());
const json = fc.json({ noUnicodeString: false }).map((any) => JSON.stringify(JSON.parse(any)));
const event = fc.record({ id: fc.uuid(), type: text, data: json, metadata: json });
const long = fc.record({
  id: fc.uuid(),
  type: fc.constant('Long'),
  data: fc.integer({ min: 100, max: 70_000 }).map((n) => JSON.stringify('ĩ'.repeat(n))),
  metadata: fc.constant('{"v":1}'),
});
const append: fc.Arbitrary<ProposedAppend> = fc.record({
  stream: text,
  expectedRevision: fc.oneof(
    fc.constant('no_stream' as const),
    fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  ),
  events: fc.array(fc.oneof({ weight: 4, arbitrary: event }, long), { minLength: 1, maxLength: 4 }),
});

describe('an append as it is sent', () => {
  it('is the message of the package to the byte without its deadline by this machine’s clock', async () => {
    await fc.assert(
      fc.asyncProperty(append, async (proposed) => {
        const [request, ...more] = await sentByPackage(proposed);
        expect(more).toEqual([]);
        expect(request?.getOptions()?.hasDeadline()).toBe(true);
        request?.getOptions()?.clearDeadline();
        const correlationId = request?.getCorrelationId()?.getString() ?? '';
        const ours = encodeBatchAppend(proposed, correlationId);
        expect(ours.equals(request?.serializeBinary() ?? Buffer.alloc(0))).toBe(true);
      }),
    );
  });
});
