import { Redis } from 'ioredis';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  assertConforms,
  type Child,
  eventually,
  openStore,
  type OwnServers,
  type Service,
  signedHeaders,
  startChild,
  startOwnServers,
  startService,
} from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

let servers: OwnServers;
let service: Service;
beforeAll(async () => {
  servers = await startOwnServers();
  // The late callback comes once: a killed API must be back by then, on a busy machine, too.
  service = await startService({ ...servers.env, SIMULATOR_SLOW_ANSWER: '20s' });
});
afterAll(async () => {
  await service.stop();
  await servers.stop();
});

const pays = '254712345678';
/** The rail answers this push after RAIL_PUSH_TIMEOUT, so a process can be killed between append and answer. */
const answersLate = '254700000015';

interface Call {
  readonly reference: string;
  readonly key: string;
  readonly phone?: string;
  readonly amount?: number;
}

let made = 0;
const newCall = (more: Partial<Call> = {}): Call => {
  made += 1;
  return { reference: `IDEM-${made}`, key: `key-${made}`, ...more };
};

interface Outcome {
  readonly status: number;
  readonly code: unknown;
  readonly replayed: boolean;
}

/** Sends one signed create call. @param aheadMs the time by which the service's clock is ahead */
async function collect(call: Call, baseUrl = service.baseUrl, aheadMs = 0): Promise<Outcome> {
  const { reference, key, phone = pays, amount = 10_000 } = call;
  const { accountNo } = service.merchant.credentials;
  const fields = { account_no: accountNo, phone, amount_minor: amount, currency: 'KES' };
  const body = JSON.stringify({ ...fields, channel: 'mpesa', reference });
  const url = '/api/v4/collections';
  const timestamp = String(Math.floor((Date.now() + aheadMs) / 1000));
  const signed = signedHeaders(await service.merchant.signIn(), {
    method: 'POST',
    url,
    body,
    timestamp,
  });
  const response = await fetch(baseUrl + url, {
    method: 'POST',
    headers: { ...signed, 'idempotency-key': key },
    body,
    signal: AbortSignal.timeout(60_000),
  });
  const { status, headers } = response;
  const answer = (await response.json()) as Record<string, unknown>;
  assertConforms({ method: 'POST', url, status, headers: new Map(headers), body: answer });
  return {
    status,
    code: answer['error'] ?? answer['status'],
    replayed: headers.get('idempotent-replayed') === 'true',
  };
}

async function pushes(): Promise<number> {
  const response = await fetch(`${service.simulatorUrl}/_stats`);
  return ((await response.json()) as { pushes: number }).pushes;
}

async function flush(): Promise<void> {
  const redis = new Redis(servers.env.REDIS_URL);
  await redis.flushall();
  redis.disconnect();
}

/**
 * Does the same as `flush` but keeps the rail's token: each new token ends the previous one, and pushes under way would
 * be refused.
 */
async function flushClaims(): Promise<void> {
  const redis = new Redis(servers.env.REDIS_URL);
  const keys = (await redis.keys('*')).filter((key) => !key.includes('rail-'));
  if (keys.length > 0) await redis.del(...keys);
  redis.disconnect();
}

async function eventsOf(reference: string): Promise<string[]> {
  const store = openStore(servers.env.EVENTSTORE_URL);
  try {
    const { merchantId } = service.merchant.credentials;
    const events = await store.readStream(`collection-demo:${merchantId}:${reference}`);
    return events.map(({ type }) => type);
  } finally {
    await store.dispose();
  }
}

const settled = (reference: string) =>
  eventually(
    () => service.merchant.get(`/api/v4/collections/${reference}`),
    ({ body }) => body['status'] === 'completed',
    // Its callback may come after 20 s, and the worker that takes it from the inbox has other work.
    { withinMs: 90_000 },
  );

describe('when Redis is flushed', () => {
  it('after an answer, the same key returns the same collection, and another body is rejected', async () => {
    const call = newCall();
    expect(await collect(call)).toMatchObject({ status: 202, replayed: false });
    const before = await pushes();
    await flush();
    expect(await collect(call)).toMatchObject({ status: 202, replayed: true });
    await flush();
    const other = { ...newCall(), key: call.key };
    expect(await collect(other)).toMatchObject({ status: 422, code: 'idempotency_key_reused' });
    await flush();
    expect(await collect({ ...call, amount: 77 })).toMatchObject({ status: 202, replayed: false });
    expect(await pushes()).toBe(before);
    expect(await eventsOf(other.reference)).toEqual([]);
  });

  it('repeatedly, during racing repeats, each reference is pushed once', async () => {
    const before = await pushes();
    const calls = Array.from({ length: 10 }, () => newCall());
    const over = new AbortController();
    const flushing = (async () => {
      while (!isAborted(over.signal)) {
        await flushClaims();
        await sleep(5);
      }
    })();
    const outcomes = await Promise.all(
      calls.flatMap((call) => Array.from({ length: 6 }, () => collect(call))),
    );
    over.abort();
    await flushing;
    const found = new Set(outcomes.map(({ status }) => status));
    found.delete(409);
    expect([...found]).toEqual([202]);
    expect(await pushes()).toBe(before + calls.length);
  });
});

describe('when Redis is down', () => {
  it('nothing is served and nothing is written; once it is back, empty, calls continue', async () => {
    const known = newCall();
    expect((await collect(known)).status).toBe(202);
    const before = await pushes();
    await servers.kill('redis');
    const call = newCall();
    for (const asked of [call, known])
      expect(await collect(asked)).toMatchObject({ status: 503, code: 'service_unavailable' });
    await servers.start('redis');
    await flush();
    expect(await eventsOf(call.reference)).toEqual([]);
    expect(await pushes()).toBe(before);
    const first = await eventually(
      () => collect(call),
      ({ status }) => status !== 503,
    );
    expect(first).toMatchObject({ status: 202, replayed: false });
    expect(await collect(known)).toMatchObject({ status: 202, replayed: true });
    expect(await pushes()).toBe(before + 1);
  });
});

describe('two replicas', () => {
  let replica: Child;
  beforeAll(async () => {
    replica = await startChild('api', { ...service.env, PORT: '0' });
  });
  afterAll(async () => {
    replica.signal('SIGTERM');
    await replica.ended;
  });
  const urls = () => [service.baseUrl, `http://127.0.0.1:${String(replica.ports.port)}`];

  it('raced with one key and different bodies push one of them; the others are rejected', async () => {
    const before = await pushes();
    const { key } = newCall();
    const calls = Array.from({ length: 12 }, () => ({ ...newCall(), key }));
    const outcomes = await Promise.all(calls.map((call, n) => collect(call, urls()[n % 2])));
    expect(outcomes.filter(({ status }) => status === 202)).toHaveLength(1);
    expect(outcomes.filter(({ code }) => code === 'idempotency_key_reused')).toHaveLength(11);
    expect(await pushes()).toBe(before + 1);
  });

  it('raced with one reference under different keys push once and both return the one collection', async () => {
    const before = await pushes();
    const { reference } = newCall();
    const outcomes = await Promise.all(
      Array.from({ length: 12 }, (_, n) => collect({ ...newCall(), reference }, urls()[n % 2])),
    );
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set([202]));
    expect(await pushes()).toBe(before + 1);
  });
});

describe('a process that is killed', () => {
  it('between its append and its answer has pushed; there is no second push, and the money is found', async () => {
    const before = await pushes();
    const call = newCall({ phone: answersLate });
    const cut = collect(call).catch(() => 'cut');
    await eventually(pushes, (count) => count === before + 1, { everyMs: 10 });
    await service.kill('api');
    expect(await cut).toBe('cut');
    await flush();
    await service.start('api');
    expect(await collect(call)).toMatchObject({ status: 202, code: 'pending', replayed: true });
    expect((await collect({ ...call, key: `${call.key}-other` })).status).toBe(202);
    const other = { ...newCall(), key: call.key };
    expect(await collect(other)).toMatchObject({ status: 422 });
    await settled(call.reference);
    expect(await pushes()).toBe(before + 1);
    const events = await eventsOf(call.reference);
    expect(events.filter((type) => type === 'WalletPosted')).toHaveLength(1);
  });

  it('between its claim and its append leaves the key in progress for a minute only', async () => {
    const before = await pushes();
    const call = newCall();
    // The log is frozen when the append arrives, and dies with it.
    process.kill(servers.pid('eventstore'), 'SIGSTOP');
    const cut = collect(call).catch(() => 'cut');
    await sleep(400);
    await service.kill('api');
    expect(await cut).toBe('cut');
    await servers.kill('eventstore');
    await servers.start('eventstore');
    await service.start('api');
    const early = await collect(call);
    expect(early).toMatchObject({ status: 409, code: 'idempotency_in_progress' });
    expect(await eventsOf(call.reference)).toEqual([]);
    expect(await pushes()).toBe(before);

    const later = await startChild('api', { ...service.env, PORT: '0', CLOCK_OFFSET: '61s' });
    try {
      const url = `http://127.0.0.1:${String(later.ports.port)}`;
      const taken = await Promise.all(Array.from({ length: 6 }, () => collect(call, url, 61_000)));
      expect(taken.some(({ status }) => status === 202)).toBe(true);
      expect(await pushes()).toBe(before + 1);
    } finally {
      later.signal('SIGTERM');
      await later.ended;
    }
  });
});

/** A function, because the compiler takes a signal's state for constant within a loop. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}
