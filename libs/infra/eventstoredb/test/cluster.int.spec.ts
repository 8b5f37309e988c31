import { EventStoreUnavailable } from '#domain/event-sourcing';
import { status } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedStore } from './embedded-store.js';
import {
  type BatchRequest,
  type Behaviour,
  checkpointAt,
  confirmation,
  FakeNode,
  notLeader,
  passedOver,
  type ReadCall,
  recordedAt,
  withoutId,
  written,
} from './fake-node.js';
import { collected, counted, openStore, type OpenStore, ownPrefix } from './subject.js';

/** The deadline of `openStore`, longer than any pause of a busy machine. */
const longMs = 60_000;

/** Gossip and faults come from fake nodes, the real work from an embedded store that they lead to. */
let leader: EmbeddedStore;
let open: OpenStore | undefined;
const nodes: FakeNode[] = [];

beforeAll(async () => {
  leader = await EmbeddedStore.start();
});

afterEach(async () => {
  await open?.store.dispose();
  expect(open?.fatal ?? []).toEqual([]);
  open = undefined;
  for (const node of nodes.splice(0)) node.stop();
});

afterAll(() => leader.remove());

async function fakeNode(behaviour: Behaviour, port = 0): Promise<FakeNode> {
  const node = await FakeNode.start(behaviour, port);
  nodes.push(node);
  return node;
}

/** Returns a port without a listener. */
async function freePort(): Promise<number> {
  const node = await FakeNode.start({});
  node.stop();
  return node.port;
}

const quick = 'tls=false&maxDiscoverAttempts=2&discoveryInterval=50&gossipTimeout=1';
const toLeader: Behaviour = { leader: () => leader.port };

async function worksOn(opened: OpenStore): Promise<void> {
  const stream = `${ownPrefix()}a`;
  const { position } = await opened.store.append(stream, 'no_stream', counted(2));
  expect(await opened.store.readStream(stream)).toHaveLength(2);
  expect(await opened.store.head([stream])).toBe(position);
  expect(await collected(opened.store.readAll('start', [stream]))).toHaveLength(2);
}

describe('discovery', () => {
  it('finds the leader through whichever of several hosts answers', async () => {
    const { port } = await fakeNode(toLeader);
    open = openStore(`esdb://127.0.0.1:${await freePort()},127.0.0.1:${port}?${quick}`);
    await worksOn(open);
  });

  it('finds the leader through one name with esdb+discover', async () => {
    const { port } = await fakeNode(toLeader);
    open = openStore(`esdb+discover://127.0.0.1:${port}?${quick}`);
    await worksOn(open);
  });

  it('does not affect later calls after it failed once', async () => {
    const port = await freePort();
    open = openStore(`esdb+discover://127.0.0.1:${port}?${quick}`, { deadlineMs: 5_000 });
    const stream = `${ownPrefix()}a`;
    const failures = await Promise.allSettled([
      open.store.append(stream, 'no_stream', counted(1)),
      open.store.append(stream, 'no_stream', counted(1)),
      open.store.readStream(stream),
      open.store.head([stream]),
    ]);
    for (const failure of failures)
      expect(failure).toMatchObject({
        status: 'rejected',
        reason: { name: 'EventStoreUnavailable' },
      });
    await fakeNode(toLeader, port);
    await worksOn(open);
  });

  it('passes over a first host that takes the connection and never answers', async () => {
    const { port } = await fakeNode(toLeader);
    const taken: Socket[] = [];
    const hanging = createServer((socket) => taken.push(socket)).listen(0, '127.0.0.1');
    await once(hanging, 'listening');
    // The client shuffles the hosts; with this value, each discovery begins with the one that hangs.
    const random = jest.spyOn(Math, 'random').mockReturnValue(0.999);
    try {
      const hangs = (hanging.address() as AddressInfo).port;
      open = openStore(`esdb://127.0.0.1:${hangs},127.0.0.1:${port}?tls=false`);
      await worksOn(open);
      expect(taken.length).toBeGreaterThan(0);
    } finally {
      random.mockRestore();
      await open?.store.dispose();
      // No code reads them, so they do not see their ends.
      for (const socket of taken) socket.destroy();
      hanging.close();
    }
  });

  it('delays no caller past the deadline if it hangs', async () => {
    const { port } = await fakeNode({});
    open = openStore(`esdb+discover://127.0.0.1:${port}?tls=false`, { deadlineMs: 600 });
    const startedAt = performance.now();
    await expect(open.store.append('s', 'no_stream', counted(1))).rejects.toThrow(
      EventStoreUnavailable,
    );
    expect(performance.now() - startedAt).toBeLessThan(longMs);
  });

  it('is asked again when the leader dies, and the append in flight goes to the new one', async () => {
    const first = await EmbeddedStore.start();
    let leading = first.port;
    const { port } = await fakeNode({ leader: () => leading });
    open = openStore(`esdb+discover://127.0.0.1:${port}?${quick}`);
    try {
      await worksOn(open);
      const subscription = await open.store.subscribe('start', [ownPrefix()]);
      const following = collected(subscription).catch((error: unknown) => error);
      leading = leader.port;
      await first.kill();
      await Promise.all(Array.from({ length: 20 }, () => worksOn(open as OpenStore)));
      expect(await following).toBeInstanceOf(EventStoreUnavailable);
    } finally {
      await first.remove();
    }
  });
});

describe('a deposed leader', () => {
  const deposed: Behaviour = {
    onRead: (call) => {
      call.emit('error', notLeader(leader.port));
    },
    onBatchAppend: (call) => {
      call.emit('error', notLeader(leader.port));
    },
  };

  it('sends appends and command-side reads on to the new one, which answers them', async () => {
    const node = await fakeNode(deposed);
    open = openStore(`esdb://127.0.0.1:${node.port}?tls=false`);
    const stream = `${ownPrefix()}a`;
    await open.store.append(stream, 'no_stream', counted(2));
    expect(await open.store.readLast(stream)).toMatchObject({ revision: 1n });
    expect(await open.store.readStream(stream)).toHaveLength(2);
    expect(open.fatal).toEqual([]);
  });

  it('is left by the next subscription after a read that it did not answer', async () => {
    const node = await fakeNode({
      onRead: (call) => {
        const isView = call.request.getOptions()?.hasSubscription() === true;
        if (isView) call.write(confirmation());
        else call.emit('error', notLeader(leader.port));
      },
      onBatchAppend: (call) => {
        call.emit('error', notLeader(leader.port));
      },
    });
    open = openStore(`esdb://127.0.0.1:${node.port}?tls=false`);
    const stream = `${ownPrefix()}a`;
    const silent = await open.store.subscribe('start', [stream]);
    await open.store.append(stream, 'no_stream', counted(1));
    expect(await open.store.head([stream])).toBeGreaterThan(0n);
    await silent.close();
    const next = await open.store.subscribe('start', [stream]);
    for await (const item of next) if (item.kind === 'event') break;
    expect(node.calls.map(({ method }) => method)).toEqual(['read', 'batchAppend', 'read']);
  });

  it('is asked by every append and command-side read to answer only as the leader', async () => {
    const node = await fakeNode({
      onRead: (call) => {
        call.end();
      },
      onBatchAppend: (call) => {
        call.emit('error', notLeader(leader.port));
      },
    });
    open = openStore(`esdb://127.0.0.1:${node.port}?tls=false`);
    const stream = `${ownPrefix()}a`;
    await open.store.readStream(stream);
    await open.store.readLast(stream);
    await open.store.head([stream]);
    await open.store.append(stream, 'no_stream', counted(1));
    const told = node.calls.map(({ metadata }) => metadata.get('requires-leader'));
    expect(told).toEqual([['true'], ['true'], ['true'], ['true']]);
  });
});

describe('the leader', () => {
  const isSubscription = (call: ReadCall) => call.request.getOptions()?.hasSubscription() === true;

  it('is required for reads to the end of the log, but not for a view’s subscription', async () => {
    const node = await fakeNode({
      onRead: (call) => {
        if (!isSubscription(call)) call.write(recordedAt(10));
        call.end();
      },
    });
    open = openStore(`esdb://127.0.0.1:${node.port}?tls=false`);
    const { store } = open;
    await expect(collected(store.readAll('start', ['a-']))).rejects.toThrow(EventStoreUnavailable);
    await expect(collected(store.readStored('start', ['a-']))).rejects.toThrow(
      EventStoreUnavailable,
    );
    await expect(store.subscribe('start', ['a-'])).rejects.toThrow(EventStoreUnavailable);
    const required = node.calls.map(({ metadata }) => metadata.get('requires-leader'));
    // Each read asks for the end, and then subscribes up to it.
    expect(required).toEqual([['true'], ['true'], ['true'], ['true'], []]);
  });

  it('serves the rest of a read to the end if its node is deposed on the way', async () => {
    const stream = `${ownPrefix()}a`;
    const filler = openStore(`esdb://127.0.0.1:${leader.port}?tls=false`);
    const { position } = await filler.store.append(stream, 'no_stream', counted(3));
    await filler.store.dispose();
    const node = await fakeNode({
      onRead: (call) => {
        if (!isSubscription(call)) {
          call.write(recordedAt(Number(position)));
          call.end();
          return;
        }
        call.write(confirmation());
        call.write(checkpointAt(1));
        setTimeout(() => call.emit('error', notLeader(leader.port)), 50);
      },
    });
    open = openStore(`esdb://127.0.0.1:${node.port}?tls=false`);
    expect(await collected(open.store.readAll('start', [stream]))).toHaveLength(3);
  });
});

describe('a node that comes back and is slow at first', () => {
  it('keeps its one batch stream, however little time the waiting appends have left', async () => {
    const port = await freePort();
    open = openStore(`esdb://127.0.0.1:${port}?tls=false`, { deadlineMs: 15_000 });
    const { store } = open;
    const appends: Promise<boolean>[] = [];
    const append = () =>
      store.append(`${ownPrefix()}a`, 'no_stream', counted(1)).then(
        () => true,
        () => false,
      );
    // Each has 15 s; when the node is back, their deadlines end one after the other.
    const issuing = setInterval(() => appends.push(append()), 40);
    await sleep(14_000);
    const node = await fakeNode(
      {
        onBatchAppend: (call) => {
          call.on('data', (request: BatchRequest) => {
            setTimeout(() => call.write(written(request, 0, 1)), 700);
          });
        },
      },
      port,
    );
    const waited = appends.length;
    await sleep(4_000);
    clearInterval(issuing);
    const succeeded = await Promise.all(appends);
    // The first ones may have timed out; that must not harm a later one.
    expect(succeeded.slice(waited)).not.toContain(false);
    expect(node.calls.filter(({ method }) => method === 'batchAppend')).toHaveLength(1);
  });
});

describe('a node that misbehaves', () => {
  it('gets the append again at once if it ends the batch stream without an answer', async () => {
    let calls = 0;
    const node = await fakeNode({
      onBatchAppend: (call) => {
        calls += 1;
        call.on('data', () => {
          if (calls === 1) call.end();
          else call.emit('error', notLeader(leader.port));
        });
      },
    });
    open = openStore(`esdb://127.0.0.1:${node.port}?tls=false`);
    const startedAt = performance.now();
    await open.store.append(`${ownPrefix()}a`, 'no_stream', counted(1));
    expect(performance.now() - startedAt).toBeLessThan(longMs / 4);
    expect(calls).toBe(2);
  });

  it('has no effect if it fails a read after the read’s deadline', async () => {
    const node = await fakeNode({
      onRead: (call) => {
        setTimeout(() => {
          call.emit('error', Object.assign(new Error('late'), { code: status.UNAVAILABLE }));
        }, 250);
      },
    });
    open = openStore(`esdb://127.0.0.1:${node.port}?tls=false`, { deadlineMs: 400 });
    await expect(open.store.readStream('s')).rejects.toThrow(EventStoreUnavailable);
    await sleep(400);
  });

  it('is held back if it sends more than is read, and nothing is lost', async () => {
    const total = 32 * 2 ** 20;
    const piece = 2 ** 14;
    let sent = 0;
    const node = await fakeNode({
      onRead: (call) => {
        call.write(confirmation());
        const send = (): void => {
          while (sent < total) {
            sent += piece;
            if (call.write(passedOver(piece))) continue;
            call.once('drain', send);
            return;
          }
          call.end();
        };
        send();
      },
    });
    open = openStore(`esdb://127.0.0.1:${node.port}?tls=false`);
    const subscription = await open.store.subscribe('start', ['a-']);
    let before = -1;
    while (before < sent) {
      before = sent;
      await sleep(500);
    }
    expect(sent).toBeLessThan(4 * 2 ** 20);
    await expect(collected(subscription)).rejects.toThrow('the server ended the subscription');
    expect(sent).toBe(total);
  });

  it('is unavailable if its answers cannot be read, and its call is ended', async () => {
    let [begun, cancelled] = [0, 0];
    const node = await fakeNode({
      onRead: (call) => {
        begun += 1;
        call.on('cancelled', () => (cancelled += 1));
        if (call.request.getOptions()?.hasSubscription()) call.write(confirmation());
        call.write(withoutId());
      },
    });
    // Long enough for a busy machine to connect; a read is retried until its deadline.
    open = openStore(`esdb://127.0.0.1:${node.port}?tls=false`, { deadlineMs: 8000 });
    await expect(open.store.readStream('s')).rejects.toThrow(EventStoreUnavailable);
    expect(begun).toBeGreaterThan(0);
    while (cancelled < begun) await sleep(20);
    const reads = begun;
    const subscribed = open.store.subscribe('start', ['a-']).then(collected);
    await expect(subscribed).rejects.toThrow(EventStoreUnavailable);
    expect(begun).toBeGreaterThan(reads);
    while (cancelled < begun) await sleep(20);
    expect(cancelled).toBe(begun);
  });

  it('is unavailable if it drops every subscription before it begins', async () => {
    const node = await fakeNode({
      onRead: (call) => {
        call.end();
      },
    });
    open = openStore(`esdb://127.0.0.1:${node.port}?tls=false`);
    const startedAt = performance.now();
    await expect(open.store.subscribe('start', ['a-'])).rejects.toThrow(EventStoreUnavailable);
    expect(performance.now() - startedAt).toBeLessThan(longMs / 2);
  });
});

describe('dispose', () => {
  it('leaves no connection open, also after connections were renewed', async () => {
    const sockets = new Set<Socket>();
    const proxy = createServer((socket) => {
      sockets.add(socket);
      const onward = connect(leader.port, '127.0.0.1');
      socket.pipe(onward).pipe(socket);
      for (const end of [socket, onward]) end.on('error', () => undefined);
      socket.on('close', () => sockets.delete(socket));
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    open = openStore(`esdb://127.0.0.1:${(proxy.address() as AddressInfo).port}?tls=false`);
    await worksOn(open);
    for (const socket of sockets) socket.destroy();
    await worksOn(open);
    expect(sockets.size).toBeGreaterThan(0);
    await open.store.dispose();
    while (sockets.size > 0) await sleep(20);
    expect(sockets.size).toBe(0);
    proxy.close();
  });
});

describe('a request for the end of the log', () => {
  it('is one call for one event, whatever the log contains', async () => {
    const asked: string[] = [];
    const node = await fakeNode({
      onRead: (call) => {
        asked.push(String(call.request.getOptions()?.getCount()));
        call.end();
      },
    });
    open = openStore(`esdb://127.0.0.1:${node.port}?tls=false`);
    expect(await open.store.end()).toBe(0n);
    expect(asked).toEqual(['1']);
  });

  it('ends its call on the server when its caller aborts', async () => {
    const cancelled: unknown[] = [];
    const begun: unknown[] = [];
    const node = await fakeNode({
      onRead: (call) => {
        begun.push(call);
        call.on('cancelled', () => cancelled.push(call));
      },
    });
    open = openStore(`esdb://127.0.0.1:${node.port}?tls=false`);
    const asker = new AbortController();
    const answer = expect(open.store.end(asker.signal)).rejects.toThrow(EventStoreUnavailable);
    while (begun.length === 0) await sleep(10);
    asker.abort();
    await answer;
    const end = performance.now() + longMs;
    while (cancelled.length === 0 && performance.now() < end) await sleep(10);
    expect(cancelled).toHaveLength(1);
    expect(begun).toHaveLength(1);
  });
});

describe('a subscription', () => {
  it.each(['left early', 'closed', 'disposed of with its adapter'] as const)(
    'ends its call on the server when it is %s',
    async (how) => {
      let cancelled = 0;
      const node = await fakeNode({
        onRead: (call) => {
          call.on('cancelled', () => (cancelled += 1));
          call.write(confirmation());
        },
      });
      open = openStore(`esdb://127.0.0.1:${node.port}?tls=false`);
      const subscription = await open.store.subscribe('start', ['a-']);
      const iterator = subscription[Symbol.asyncIterator]();
      const next = iterator.next();
      if (how === 'left early') void iterator.return?.();
      if (how === 'left early' || how === 'closed') await subscription.close();
      else await open.store.dispose();
      await expect(next).resolves.toMatchObject({ done: true });
      while (cancelled === 0) await sleep(20);
      expect(cancelled).toBe(1);
    },
  );
});
