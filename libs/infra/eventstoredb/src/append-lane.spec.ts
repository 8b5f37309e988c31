import { EventStoreUnavailable, WrongExpectedRevision } from '#domain/event-sourcing';
import {
  AccessDeniedError,
  type AppendResult,
  DeadlineExceededError,
  MaxAppendSizeExceededError,
  NotLeaderError,
  UnavailableError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { Metadata, status } from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AppendingClient } from './append-connection.js';
import { AppendLane, type AppendLaneOptions } from './append-lane.js';
import { DiskRefused } from './refusal.js';
import { type ProposedAppend } from './wire/batch-append-request.js';

const request: ProposedAppend = { stream: 's', expectedRevision: 'no_stream', events: [] };
const success: AppendResult = {
  success: true,
  nextExpectedRevision: 2n,
  position: { commit: 9n, prepare: 9n },
};
const pending = <T>() => new Promise<T>(() => undefined);

/** A client that follows a script and records its calls, in order. */
class ScriptedClient implements AppendingClient {
  ready = () => Promise.resolve();
  append: (request: ProposedAppend) => Promise<AppendResult> = () => Promise.resolve(success);
  closing = () => Promise.resolve();

  constructor(
    readonly number: number,
    readonly story: string[],
    readonly endBatchStream: (error?: Error) => void,
  ) {}

  endCalls(): Promise<void> {
    this.story.push(`end calls ${this.number}`);
    return this.closing();
  }

  async close(): Promise<void> {
    this.story.push(`close ${this.number}`);
    await this.closing();
    this.story.push(`closed ${this.number}`);
  }
}

function notLeader(): NotLeaderError {
  const metadata = new Metadata();
  metadata.set('leader-endpoint-host', '127.0.0.1');
  metadata.set('leader-endpoint-port', '2113');
  const error = {
    name: 'Error',
    message: 'not leader',
    code: status.NOT_FOUND,
    details: '',
    metadata,
  };
  return new NotLeaderError(error);
}

/** Longer than any pause of a busy machine, and a deadline that a test can wait for. */
const [longMs, shortMs] = [60_000, 500];

const lanes: AppendLane[] = [];

function scripted(
  script: (client: ScriptedClient) => void,
  options: Partial<AppendLaneOptions> = {},
) {
  const clients: ScriptedClient[] = [];
  const story: string[] = [];
  const fatal: Error[] = [];
  const lane = new AppendLane({
    open: (onBatchEnd) => {
      const client = new ScriptedClient(clients.length + 1, story, onBatchEnd);
      story.push(`open ${client.number}`);
      clients.push(client);
      script(client);
      return client;
    },
    deadlineMs: longMs,
    discovers: false,
    logger: { warn: () => undefined },
    onFatal: (error) => fatal.push(error),
    ...options,
  });
  lanes.push(lane);
  return { lane, clients, story, fatal };
}

afterEach(async () => {
  await Promise.all(lanes.splice(0).map((lane) => lane.dispose().catch(() => undefined)));
});

describe('the append lane', () => {
  it('returns revision and position of the last event', async () => {
    const { lane } = scripted(() => undefined);
    await expect(lane.append(request)).resolves.toEqual({ revision: 2n, position: 9n });
  });

  it('reports a lost race with the actual head, and does not retry it', async () => {
    let calls = 0;
    const { lane } = scripted((client) => {
      client.append = () => {
        calls += 1;
        const versions = { streamName: 's', expected: 'no_stream', current: 5n } as const;
        return Promise.reject(new WrongExpectedVersionError(null as never, versions));
      };
    });
    const lost = await lane.append(request).catch((error: unknown) => error);
    expect(lost).toBeInstanceOf(WrongExpectedRevision);
    expect(lost).toMatchObject({ stream: 's', actual: 5n });
    expect(calls).toBe(1);
  });

  it('fails at once if the store cannot write to its disk, explains the fix, and keeps its connection', async () => {
    let isFull = true;
    const { lane, story } = scripted((client) => {
      client.append = () =>
        isFull ? Promise.reject(new DiskRefused('ENOSPC')) : Promise.resolve(success);
    });
    for (let n = 0; n < 3; n += 1)
      await expect(lane.append(request)).rejects.toThrow(
        'event store is unavailable: it cannot write to its disk; make room there, and the service goes on by itself',
      );
    isFull = false;
    await expect(lane.append(request)).resolves.toMatchObject({ revision: 2n });
    expect(story).toEqual(['open 1']);
  });

  it('sends an append of unknown outcome again, unchanged, within one deadline', async () => {
    const sent: ProposedAppend[] = [];
    const unknownThrice = (client: ScriptedClient) => {
      client.append = (again) => {
        sent.push(again);
        return sent.length < 4 ? Promise.reject(new UnavailableError()) : Promise.resolve(success);
      };
    };
    const { lane } = scripted(unknownThrice);
    await expect(lane.append(request)).resolves.toMatchObject({ revision: 2n });
    expect(sent).toEqual([request, request, request, request]);
    expect(sent.every((again) => again === request)).toBe(true);
  });

  it('gives up as unavailable when the deadline is over, never much later', async () => {
    const away = new Error('14 UNAVAILABLE: no address 10.0.0.1:2113');
    const { lane } = scripted(
      (client) => {
        client.append = () => Promise.reject(away);
      },
      { deadlineMs: shortMs },
    );
    const startedAt = performance.now();
    const error = await lane.append(request).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(EventStoreUnavailable);
    expect((error as Error).message).not.toContain('10.0.0.1');
    expect(performance.now() - startedAt).toBeLessThan(longMs);
  });

  it('keeps its own deadline if server and client never settle an append or a connection', async () => {
    for (const hang of ['append', 'ready'] as const) {
      const { lane } = scripted(
        (client) => {
          client[hang] = pending;
        },
        { deadlineMs: shortMs },
      );
      const startedAt = performance.now();
      await expect(lane.append(request)).rejects.toThrow(EventStoreUnavailable);
      expect(performance.now() - startedAt).toBeLessThan(longMs);
      await lane.dispose();
    }
  });

  it.each([
    ['a refused user is unavailable', new AccessDeniedError(), EventStoreUnavailable],
    ['an append too large is a defect', new MaxAppendSizeExceededError(undefined, 1), Error],
  ])('does not retry an error that a retry cannot change: %s', async (_, refusal, type) => {
    let calls = 0;
    const { lane } = scripted((client) => {
      client.append = () => {
        calls += 1;
        return Promise.reject(refusal);
      };
    });
    await expect(lane.append(request)).rejects.toThrow(type);
    expect(calls).toBe(1);
  });

  it('keeps the connection after one answered time-out and renews it after two in a row', async () => {
    let calls = 0;
    const { lane, story } = scripted((client) => {
      client.append = () => {
        calls += 1;
        return calls <= 3 && calls !== 1
          ? Promise.reject(new DeadlineExceededError())
          : Promise.resolve(success);
      };
    });
    await lane.append(request);
    await lane.append(request);
    expect(story).toEqual(['open 1', 'close 1', 'closed 1', 'open 2']);
  });
});

describe('a connection that refuses an append twice', () => {
  it('stays in use if it took another append between them, since its node can commit', async () => {
    let calls = 0;
    const { lane, story } = scripted((client) => {
      client.append = async ({ stream }) => {
        if (stream === 'other') return success;
        calls += 1;
        if (calls > 2) return success;
        // The retry comes after a longer pause, so the other append is answered before it.
        if (calls === 1) setTimeout(() => void lane.append({ ...request, stream: 'other' }), 1);
        return Promise.reject(new DeadlineExceededError());
      };
    });
    await lane.append(request);
    expect(calls).toBe(3);
    expect(story).toEqual(['open 1']);
  });
});

describe('after a batch stream error', () => {
  it('opens no new client before the old one is closed', async () => {
    let seenClosed = (): void => undefined;
    const { lane, clients, story } = scripted((client) => {
      if (client.number === 1) {
        client.append = pending;
        client.closing = () => new Promise<void>((resolve) => (seenClosed = resolve));
      }
    });
    const appends = [lane.append(request), lane.append(request)];
    await sleep(10);
    clients[0]?.endBatchStream(new UnavailableError());
    await sleep(100);
    expect(story).toEqual(['open 1', 'close 1']);
    seenClosed();
    await expect(Promise.all(appends)).resolves.toHaveLength(2);
    expect(story).toEqual(['open 1', 'close 1', 'closed 1', 'open 2']);
  });

  it('ends attempts in flight at once, even if the server ended the stream without an error', async () => {
    const { lane, clients } = scripted((client) => {
      if (client.number === 1) client.append = pending;
    });
    const append = lane.append(request);
    await sleep(10);
    const startedAt = performance.now();
    clients[0]?.endBatchStream();
    await expect(append).resolves.toMatchObject({ revision: 2n });
    // Long before the attempt's own share of the deadline is over.
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });

  it('asks the process to end, once, if it does not see the old stream close, and appends no more', async () => {
    const { lane, clients, story, fatal } = scripted(
      (client) => {
        client.append = pending;
        client.closing = pending;
      },
      { deadlineMs: 5_000 },
    );
    const append = lane.append(request);
    await sleep(10);
    clients[0]?.endBatchStream(new UnavailableError());
    await expect(append).rejects.toThrow(EventStoreUnavailable);
    await expect(lane.append(request)).rejects.toThrow(/not seen to close/);
    expect(fatal).toHaveLength(1);
    expect(story).toEqual(['open 1', 'close 1']);
    for (const client of clients) client.closing = () => Promise.resolve();
  });

  it('continues with the same client if another node leads, since that client knows which', async () => {
    const { lane, clients, story } = scripted((client) => {
      let calls = 0;
      client.append = () => {
        calls += 1;
        return calls === 1 ? pending() : Promise.resolve(success);
      };
    });
    const append = lane.append(request);
    await sleep(10);
    clients[0]?.endBatchStream(notLeader());
    await append;
    expect(story).toEqual(['open 1', 'end calls 1']);
  });
});

describe('a node that accepts connections and does not answer', () => {
  const silentThenThere = (client: ScriptedClient): void => {
    let calls = 0;
    client.ready = () => {
      calls += 1;
      return calls === 1 && client.number === 1 ? pending() : Promise.resolve();
    };
  };

  it('is waited for by the same client, without more connections, if there is no other node', async () => {
    const { lane, story } = scripted(silentThenThere, { deadlineMs: 10_000 });
    await lane.append(request);
    expect(story).toEqual(['open 1']);
  });

  it('is left for a new discovery if there may be another node', async () => {
    const { lane, story } = scripted(silentThenThere, {
      deadlineMs: 10_000,
      discovers: true,
    });
    await lane.append(request);
    expect(story).toEqual(['open 1', 'close 1', 'closed 1', 'open 2']);
  });
});

describe('one client per process', () => {
  const neverAnswers = (client: ScriptedClient): void => {
    client.append = pending;
  };

  it('lets a second lane append only after the first was disposed of', async () => {
    const first = scripted(() => undefined);
    const second = scripted(() => undefined);
    await first.lane.append(request);
    await expect(second.lane.append(request)).rejects.toThrow(/another EventStoreDb/);
    await first.lane.dispose();
    await expect(second.lane.append(request)).resolves.toMatchObject({ revision: 2n });
  });

  it('refuses more than it can hold in flight', async () => {
    const { lane } = scripted(neverAnswers, { deadlineMs: 5_000 });
    const appends = Array.from({ length: 2_049 }, () =>
      lane.append(request).catch((error: unknown) => error),
    );
    await expect(appends[2_048]).resolves.toMatchObject({
      message: expect.stringContaining('in flight'),
    });
    await lane.dispose();
    await Promise.all(appends);
  });

  it('refuses more text than it can hold in flight, but never a single append', async () => {
    const { lane } = scripted(neverAnswers, { deadlineMs: 5_000 });
    const large: ProposedAppend = {
      ...request,
      events: [{ id: 'e', type: 'T', data: ' '.repeat(20 * 1024 * 1024), metadata: '{}' }],
    };
    const first = lane.append(large).catch((error: unknown) => error);
    await expect(lane.append(large)).rejects.toThrow(/in flight/);
    await lane.dispose();
    expect((await first) as Error).not.toMatchObject({
      message: expect.stringContaining('in flight') as unknown,
    });
  });
});
