import { type EventStoreUnavailable } from '#domain/event-sourcing';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { EmbeddedStore } from './embedded-store.js';
import { type BatchCall, type BatchRequest, FakeNode, written, writtenAlone } from './fake-node.js';
import { counted, openStore, type OpenStore, ownPrefix } from './subject.js';

/**
 * Faults that a server may cause on the batch stream, by fake nodes; the others are in faults.int.spec.ts and
 * tls.int.spec.ts.
 */
let open: OpenStore | undefined;
let node: FakeNode | undefined;

afterEach(async () => {
  await open?.store.dispose();
  expect(open?.fatal ?? []).toEqual([]);
  node?.stop();
  open = node = undefined;
});

/** An adapter on a node whose batch streams do what the test says; `nth` counts them from 1. */
async function onNode(
  onRequest: (call: BatchCall, request: BatchRequest, nth: number) => void,
  options: Parameters<typeof openStore>[1] = {},
): Promise<OpenStore['store']> {
  let calls = 0;
  node = await FakeNode.start({
    onBatchAppend: (call) => {
      const nth = (calls += 1);
      call.on('data', (request: BatchRequest) => {
        onRequest(call, request, nth);
      });
    },
  });
  open = openStore(`esdb://127.0.0.1:${node.port}?tls=false`, options);
  return open.store;
}

const idsOf = (request: BatchRequest): string[] =>
  request.getProposedMessagesList().map((event) => event.getId()?.getString() ?? '');

describe('a server that answers', () => {
  it('out of order settles each append with its own answer', async () => {
    const held: BatchRequest[] = [];
    const store = await onNode((call, request) => {
      held.push(request);
      if (held.length < 50) return;
      for (const each of held.toReversed()) {
        const revision = each.getProposedMessagesList().length - 1;
        call.write(written(each, revision, 1_000 + revision));
      }
    });
    const sizes = Array.from({ length: 50 }, (_, n) => n + 1);
    const answers = await Promise.all(
      sizes.map((size) => store.append(`s-${size}`, 'no_stream', counted(size))),
    );
    expect(answers).toEqual(
      sizes.map((size) => ({ revision: BigInt(size - 1), position: BigInt(999 + size) })),
    );
  });

  it('only some appends delays no others: those behind the unanswered ones are still sent', async () => {
    const held = 8;
    let requests = 0;
    const store = await onNode((call, request) => {
      requests += 1;
      if (requests > held) call.write(written(request, 0, 7));
    });
    const unanswered = Array.from({ length: held }, (_, n) =>
      store.append(`held-${n}`, 'no_stream', counted(1)).catch(() => undefined),
    );
    for (let n = 0; n < 3; n += 1)
      expect(await store.append(`s-${n}`, 'no_stream', counted(1))).toMatchObject({ position: 7n });
    await open?.store.dispose();
    await Promise.all(unanswered);
  });

  it('twice, or to an append that was never sent, disturbs no append', async () => {
    const store = await onNode((call, request) => {
      const unasked = request.clone();
      unasked.getCorrelationId()?.setString('0190a5b4-3c2d-4e1f-8a9b-0c1d2e3f4a5b');
      call.write(written(unasked, 8, 8));
      call.write(written(request, 0, 7));
      call.write(written(request, 1, 9));
    });
    for (let n = 0; n < 3; n += 1)
      expect(await store.append(`s-${n}`, 'no_stream', counted(1))).toEqual({
        revision: 0n,
        position: 7n,
      });
    expect(open?.warnings).toEqual([]);
  });

  it('with a message that is no answer gets the append again, with the same ids, on another stream', async () => {
    const ids: string[][] = [];
    const store = await onNode((call, request, nth) => {
      ids.push(idsOf(request));
      if (nth === 1) call.write(new streams.BatchAppendResp());
      else call.write(written(request, 1, 5));
    });
    expect(await store.append('s', 'no_stream', counted(2))).toMatchObject({ revision: 1n });
    expect(ids).toHaveLength(2);
    expect(ids[1]).toEqual(ids[0]);
  });
});

describe('a server whose clock differs from this machine’s', () => {
  it.each([-600_000, 600_000])('by %i ms stores each append', async (aheadMs) => {
    const store = await EmbeddedStore.start();
    const now = Date.now.bind(Date);
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + aheadMs);
    try {
      open = openStore(store.url, { deadlineMs: 5_000 });
      const appended = await open.store.append(`${ownPrefix()}a`, 'no_stream', counted(1));
      expect(appended.revision).toBe(0n);
    } finally {
      clock.mockRestore();
      await open?.store.dispose();
      await store.remove();
    }
  });
});

describe('a server that closes the batch stream', () => {
  it('with appends in flight gets each of them again, and no other', async () => {
    const seen = new Map<string, string[][]>();
    const store = await onNode((call, request, nth) => {
      const stream = Buffer.from(
        request.getOptions()?.getStreamIdentifier()?.getStreamName_asU8() ?? [],
      ).toString('utf8');
      seen.set(stream, [...(seen.get(stream) ?? []), idsOf(request)]);
      if (nth > 1 || stream === 'answered') call.write(written(request, 0, 7));
      else if (seen.size === 21) call.end();
    });
    await store.append('answered', 'no_stream', counted(1));
    const streamNames = Array.from({ length: 20 }, (_, n) => `s-${n}`);
    await Promise.all(streamNames.map((name) => store.append(name, 'no_stream', counted(1))));
    expect(seen.get('answered')).toHaveLength(1);
    for (const name of streamNames) {
      const [first, second, ...more] = seen.get(name) ?? [];
      expect(second).toEqual(first);
      expect(more).toEqual([]);
    }
  });

  it('each time leaves the outcome unknown', async () => {
    const store = await onNode(
      (call) => {
        call.end();
      },
      { deadlineMs: 5_000 },
    );
    const error = await store.append('s', 'no_stream', counted(1)).catch((e: unknown) => e);
    expect((error as EventStoreUnavailable).name).toBe('EventStoreUnavailable');
  });
});

describe('an append that the batch stream cannot carry', () => {
  it('is sent by the package’s own call if the server has no BatchAppend', async () => {
    const types: string[] = [];
    node = await FakeNode.start({
      onAppend: (call, answer) => {
        call.on('data', (request: InstanceType<typeof streams.AppendReq>) => {
          const message = request.getProposedMessage();
          if (message) types.push(message.getMetadataMap().get('type') ?? '');
        });
        call.on('end', () => {
          answer(null, writtenAlone(1, 5));
        });
      },
    });
    open = openStore(`esdb://127.0.0.1:${node.port}?tls=false`);
    const appended = await open.store.append('s', 'no_stream', counted(2));
    expect(appended).toEqual({ revision: 1n, position: 5n });
    expect(types).toEqual(['Noted', 'Noted']);
    expect(node.calls).toEqual([]);
  });

  it('is sent by the package’s own call, and refused, if it is longer than a message may be', async () => {
    const store = await EmbeddedStore.start();
    open = openStore(store.url);
    try {
      const stream = `${ownPrefix()}a`;
      const text = 'x'.repeat(400_000);
      const long = counted(9).map((event) => ({
        ...event,
        event: { ...event.event, data: { text } },
      }));
      await expect(open.store.append(stream, 'no_stream', long)).rejects.toThrow(
        /maximum append size/,
      );
      expect(await open.store.append(stream, 'no_stream', counted(1))).toMatchObject({
        revision: 0n,
      });
    } finally {
      await open.store.dispose();
      await store.remove();
    }
  });
});
