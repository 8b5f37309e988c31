import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import { type Child, eventually, type Service, signedHeaders, startService } from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Caller, issueCaller } from './v4-request.js';

const delayMs = 12_000;
/** The answer to its push comes after SIMULATOR_SLOW_ANSWER, which is longer: it is under way when the listener closes. */
const slowPhone = '254700000015';

let service: Service;
let caller: Caller;
beforeAll(async () => {
  service = await startService({
    DRAIN_DELAY: `${delayMs}ms`,
    RAIL_PUSH_TIMEOUT: '16s',
    SIMULATOR_SLOW_ANSWER: '13s',
  });
  caller = await issueCaller(service, { ips: '127.0.0.1', from: '127.0.0.1' });
});
afterAll(() => service.stop());

interface Outcome {
  readonly status: number;
  readonly mustClose: boolean;
}

/** Sends one request over the agent's connection and reads the whole answer. */
function send(agent: Agent, method: string, path: string, body = ''): Promise<Outcome> {
  const signed = signedHeaders(caller, {
    method,
    url: path,
    nonce: randomUUID(),
    timestamp: String(Math.floor(Date.now() / 1000)),
    ...(body === '' ? {} : { body }),
  });
  const headers = { ...signed, ...(body === '' ? {} : { 'idempotency-key': randomUUID() }) };
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(service.baseUrl);
    const options = { agent, hostname, port, method, path, headers, timeout: 30_000 };
    const outgoing = request(options, (answer: IncomingMessage) => {
      answer.on('error', reject);
      answer.on('end', () => {
        const { statusCode: status = 0, headers: got, complete } = answer;
        if (complete) resolve({ status, mustClose: got.connection === 'close' });
        else reject(new Error('the answer was cut'));
      });
      answer.resume();
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error('no answer in time')));
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

function collectionBody(phone: string): string {
  return JSON.stringify({
    account_no: service.merchant.credentials.accountNo,
    phone,
    amount_minor: 10_000,
    currency: 'KES',
    channel: 'mpesa',
    reference: `drain-${randomUUID()}`,
  });
}

/** A load balancer's view: true if new connections go to the replica. */
async function isReady(child: Child): Promise<boolean> {
  const url = `http://127.0.0.1:${String(child.ports.adminPort)}/health/ready`;
  const response = await fetch(url, { signal: AbortSignal.timeout(30_000) }).catch(() => undefined);
  return response?.status === 200;
}

interface Client {
  readonly told: Outcome[];
  readonly failures: unknown[];
}

/** Sends requests one after the other over a kept connection, until an answer closes it and no other may be opened. */
async function useUntilClosed(mayOpen: () => boolean, turn: (agent: Agent) => Promise<Outcome>) {
  const client: Client = { told: [], failures: [] };
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (let isOpen = false; isOpen || mayOpen();)
    try {
      const told = await turn(agent);
      client.told.push(told);
      isOpen = !told.mustClose;
    } catch (error) {
      client.failures.push(error);
      isOpen = false;
    }
  agent.destroy();
  return client;
}

describe('an API asked to stop under load', () => {
  it('becomes not ready first, answers every request, and ends when nothing is in progress', async () => {
    const api = service.child('api');
    let ready = true;
    let isStopping = false;
    const early: Outcome[] = [];
    const list = async (agent: Agent) => {
      const told = await send(agent, 'GET', '/api/v4/transactions?limit=5');
      if (!isStopping) early.push(told);
      return told;
    };
    const collect = (phone: string) => (agent: Agent) =>
      send(agent, 'POST', '/api/v4/collections', collectionBody(phone));
    const clients = [
      ...Array.from({ length: 6 }, () => useUntilClosed(() => ready, list)),
      ...Array.from({ length: 6 }, () => useUntilClosed(() => ready, collect('254712345678'))),
      ...Array.from({ length: 2 }, () => useUntilClosed(() => ready, collect(slowPhone))),
    ];
    await sleep(2_000);
    isStopping = true;
    api.signal('SIGTERM');
    const toldAt = performance.now();
    await eventually(
      () => isReady(api),
      (answer) => !answer,
      { withinMs: delayMs - 2_000, everyMs: 50 },
    );
    ready = false;
    // A client that does not know yet that it is not ready may still open connections, and is served.
    const late = new Agent();
    expect(await list(late)).toEqual({ status: 200, mustClose: true });
    expect(performance.now() - toldAt).toBeLessThan(delayMs);
    // A request whose answer comes after the listener's end.
    const slow = collect(slowPhone)(late);

    const ended = await Promise.all(clients);
    expect(ended.flatMap(({ failures }) => failures)).toEqual([]);
    const statuses = new Set(ended.flatMap(({ told }) => told.map(({ status }) => status)));
    expect([...statuses].sort()).toEqual([200, 202]);
    for (const { told } of ended) {
      expect(told.length).toBeGreaterThan(0);
      expect(told.at(-1)?.mustClose).toBe(true);
    }
    expect(early.length).toBeGreaterThan(0);
    expect(early.some(({ mustClose }) => mustClose)).toBe(false);
    expect(await slow).toEqual({ status: 202, mustClose: true });
    expect(performance.now() - toldAt).toBeGreaterThan(delayMs);
    expect(await api.ended).toBe(0);
    await expect(list(late)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await service.start('api');
  });
});
