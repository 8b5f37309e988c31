import { DependencyUnavailable } from '#domain/kernel';
import { createLogger, Metrics } from '#infra/runtime';
import { eventually, redisNamespace } from '#testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { FailedAttempts, KeyClaims, observeMemory, RedisStore, UnsuitableRedis } from './index.js';

const logger = createLogger({ app: 'spec', level: 'silent' });
const namespace = redisNamespace();
const store = new RedisStore({ ...namespace, logger });
let opened: RedisStore[] = [];

beforeAll(() => store.start());
afterAll(() => store.close());
afterEach(async () => {
  await Promise.all(opened.map((one) => one.close()));
  opened = [];
});

/** A deadline that a test can wait for; others are longer than any pause of a busy machine. */
const shortMs = 300;

function open(url: string, app = 'spec', commandTimeoutMs = 60_000): RedisStore {
  const one = new RedisStore({ ...namespace, url, logger, app, commandTimeoutMs });
  opened.push(one);
  return one;
}

async function caught(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

/** A Redis that gives the test's answers, or none. */
async function fakeServer(answer: (command: string) => string | undefined): Promise<{
  url: string;
  /** Ends all connections, and accepts new ones. */
  drop: () => void;
  close: () => Promise<void>;
}> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      for (const part of bytes.toString().split(/(?=\*\d+\r\n)/)) {
        const reply = answer(part);
        if (reply !== undefined) socket.write(reply);
      }
    });
  });
  const drop = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  return {
    url: `redis://:secretpassword@127.0.0.1:${port}`,
    drop,
    close: async () => {
      drop();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const bulk = (text: string): string => `$${text.length}\r\n${text}\r\n`;

describe('the start', () => {
  it('refuses a server that may evict keys, and names the setting to change', async () => {
    const fake = await fakeServer((command) =>
      /info/i.test(command) ? bulk('loading:0\r\nmaxmemory_policy:allkeys-lru\r\n') : '+OK\r\n',
    );
    const error = await caught(open(fake.url).start());
    expect(error).toBeInstanceOf(UnsuitableRedis);
    expect((error as Error).message).toMatch(/allkeys-lru.*set it to noeviction/);
    await fake.close();
  });

  it.each([
    ['noeviction', undefined],
    ['volatile-ttl', UnsuitableRedis],
  ])('reads the policy %s from INFO: managed services forbid CONFIG', async (policy, refusal) => {
    const fake = await fakeServer((command) => {
      if (/config/i.test(command)) return `-ERR unknown command 'CONFIG'\r\n`;
      return /info/i.test(command)
        ? bulk(`loading:0\r\nmaxmemory_policy:${policy}\r\n`)
        : '+OK\r\n';
    });
    const error = await caught(open(fake.url).start());
    if (refusal) expect(error).toBeInstanceOf(refusal);
    else expect(error).toBeUndefined();
    await fake.close();
  });

  it('without a server is unavailable, and names no address or secret', async () => {
    const error = await caught(open('redis://:secretpassword@127.0.0.1:1').start());
    expect(error).toBeInstanceOf(DependencyUnavailable);
    expect((error as Error).message).not.toMatch(/127\.0\.0\.1|secretpassword/);
  });
});

describe('the memory', () => {
  it('is reported as the bytes in use, with the limit if there is one', async () => {
    const { usedBytes, maxBytes, policy } = await store.memory();
    expect(usedBytes).toBeGreaterThan(100_000);
    expect(policy).toBe('noeviction');
    expect(store.maxMemoryBytes).toBe(maxBytes);
  });

  it('is a metric, and so is its limit; neither fails the page of metrics', async () => {
    const [metrics, fake] = [new Metrics(), await fakeServer(() => undefined)];
    observeMemory(metrics, open(fake.url, 'spec', shortMs));
    expect(await metrics.registry.metrics()).toMatch(/^pesapost_redis_used_memory_bytes Nan$/m);
    await fake.close();
    const served = new Metrics();
    observeMemory(served, store);
    const page = await served.registry.metrics();
    expect(page).toMatch(/^pesapost_redis_used_memory_bytes [1-9]\d+$/m);
    expect(page).toMatch(/^pesapost_redis_max_memory_bytes ([1-9]\d+|\+Inf)$/m);
  });
});

describe('a server that is away', () => {
  it('fails commands within their deadline if it never answers', async () => {
    const fake = await fakeServer(() => undefined);
    const started = performance.now();
    const one = open(fake.url, 'spec', shortMs);
    expect(await caught(one.start())).toBeInstanceOf(DependencyUnavailable);
    expect(performance.now() - started).toBeLessThan(60_000);
    await fake.close();
  });

  it('is not one that answered while this process was blocked beyond the deadline', async () => {
    // The client's own limit is five times ours: a busy machine must not reach it.
    const one = open(namespace.url, 'spec', 4000);
    await one.start();
    const answer = one.get('absent');
    // Wait until it is sent and answered.
    await new Promise(setImmediate);
    const until = performance.now() + 5000;
    while (performance.now() < until);
    expect(await answer).toBeNull();
  });

  it('fails commands at once while the connection is down, and works again when it is back', async () => {
    const app = randomUUID();
    const own = open(namespace.url, app);
    await own.start();
    const admin = new Redis(namespace.url);
    const clients = (await admin.call('CLIENT', 'LIST')) as string;
    const mine = clients.split('\n').find((line) => line.includes(`name=pesapost-${app} `));
    await admin.call('CLIENT', 'KILL', 'ID', /id=(\d+)/.exec(mine ?? '')?.[1] ?? '');
    admin.disconnect();
    const outcomes: unknown[] = [];
    for (let tries = 0; tries < 3000; tries += 1) {
      const error = await caught(own.ping());
      outcomes.push(error);
      if (error === undefined && tries > 3) break;
      await sleep(20);
    }
    for (const error of outcomes)
      if (error !== undefined) expect(error).toBeInstanceOf(DependencyUnavailable);
    expect(outcomes.at(-1)).toBeUndefined();
  });
});

describe('a server that takes the place of another one', () => {
  const why = "READONLY You can't write against a read only replica.";
  it.each([
    ['a command', why],
    ['a script', `${why} script: f1d2, on @user_script:5.`],
    [
      'a script of Redis 6',
      `ERR Error running script (call to f_f1d2): @user_script:5: @user_script: 5: -${why}`,
    ],
  ])('is looked for if the former one reports for %s that it is a replica', async (_of, error) => {
    let connections = 0;
    const fake = await fakeServer((command) => {
      // Each connection first sets its name; the second one leads to the master.
      if (/setname/i.test(command)) connections += 1;
      if (/info/i.test(command)) return bulk('loading:0\r\nmaxmemory_policy:noeviction\r\n');
      return /\neval/i.test(command) && connections === 1 ? `-${error}\r\n` : '+OK\r\n';
    });
    const one = open(fake.url);
    await one.start();
    const claims = new KeyClaims(one);
    const claim = () => caught(claims.claimKey({ credentialId: 'c', keyHash: 'k', value: 'v' }));
    try {
      expect(await claim()).toBeInstanceOf(DependencyUnavailable);
      const isDone = (is: string) => is === 'claimed';
      await eventually(async () => ((await claim()) ? 'refused' : 'claimed'), isDone);
    } finally {
      await fake.close();
    }
  });

  it('gets no command if it may evict keys', async () => {
    let policy = 'noeviction';
    let looks = 0;
    const fake = await fakeServer((command) => {
      if (!/info/i.test(command)) return '+OK\r\n';
      looks += 1;
      return bulk(`loading:0\r\nmaxmemory_policy:${policy}\r\n`);
    });
    const one = await RedisStore.open({ ...namespace, url: fake.url, logger });
    opened.push(one);
    expect(await caught(one.ping())).toBeUndefined();
    const before = looks;
    policy = 'allkeys-lru';
    fake.drop();
    // The client's own check of a new connection, then ours.
    await eventually(
      () => Promise.resolve(looks),
      (seen) => seen >= before + 2,
    );
    await sleep(50);
    expect(await caught(one.ping())).toMatchObject({
      message: expect.stringContaining('have not been checked yet'),
    });
    await fake.close();
  });
});

describe('an idempotency key', () => {
  it('is claimed by one of many, whose value the others see', async () => {
    const claims = new KeyClaims(store);
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        claims.claimKey({ credentialId: 'c', keyHash: 'k-race', value: `v-${n}` }),
      ),
    );
    const winners = outcomes.flatMap((outcome, n) => (outcome.kind === 'claimed' ? [n] : []));
    expect(winners).toHaveLength(1);
    for (const outcome of outcomes)
      if (outcome.kind === 'existing') expect(outcome.value).toBe(`v-${winners[0] ?? -1}`);
  });

  it('is remembered for 15 minutes', async () => {
    await new KeyClaims(store).claimKey({ credentialId: 'c', keyHash: 'k-life', value: 'v' });
    const leftMs = await store.lifeMs('idempotency:k-life');
    expect(leftMs).toBeGreaterThan(870_000);
    expect(leftMs).toBeLessThanOrEqual(900_000);
  });
});

describe('a name', () => {
  it('is free after its time', async () => {
    const claims = new KeyClaims(store);
    await claims.claimName('k-back', 'first', 1);
    await sleep(1100);
    expect(await claims.claimName('k-back', 'last', 1)).toEqual({ kind: 'claimed' });
  });
});

describe('failed authentications', () => {
  it('lead to the refusal of that client at that address after ten, and of no other', async () => {
    const failures = new FailedAttempts(store);
    for (let n = 0; n < 9; n += 1) await failures.countFailure('client', '10.0.0.1');
    expect(await failures.refusedForMs('client', '10.0.0.1')).toBeUndefined();
    await failures.countFailure('client', '10.0.0.1');
    const waitMs = await failures.refusedForMs('client', '10.0.0.1');
    expect(waitMs).toBeGreaterThan(50_000);
    expect(waitMs).toBeLessThanOrEqual(60_000);
    expect(await failures.refusedForMs('client', '10.0.0.2')).toBeUndefined();
    expect(await failures.refusedForMs('another', '10.0.0.1')).toBeUndefined();
  });
});
