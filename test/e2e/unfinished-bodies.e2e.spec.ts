import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, type Service, startService } from '#testing';
import { collectionOf, type Caller, issueCaller, send } from './v4-request.js';

let service: Service;
let caller: Caller;
beforeAll(async () => {
  service = await startService({ TRUSTED_PROXIES: '127.0.0.9' });
  caller = await issueCaller(service, { ips: '127.0.0.0/8', from: '127.0.0.1' });
});
afterAll(() => service.stop());

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

interface Flood {
  readonly count: number;
  readonly path: string;
  /** The maximum of the route; the test sends a byte less. */
  readonly limit: number;
  readonly from: string;
  readonly headers?: string;
}

/** Connections that each omit the last byte of their body. @returns the status of each answer so far */
function flood({ count, path, limit, from, headers = '' }: Flood): () => Promise<string[]> {
  const { hostname: host, port } = new URL(service.baseUrl);
  const body = Buffer.alloc(limit - 1, ' ');
  const answers = Array.from({ length: count }, () => {
    const socket = connect({ host, port: Number(port), localAddress: from });
    sockets.push(socket);
    const answer = { status: '' };
    socket.once('data', (chunk) => (answer.status = chunk.toString().slice(9, 12)));
    // Refused connections end while the test still writes.
    socket.on('error', () => undefined);
    socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${limit}\r\n${headers}\r\n`);
    socket.write(body);
    return answer;
  });
  return () =>
    Promise.resolve(answers.map(({ status }) => status).filter((status) => status !== ''));
}

/** MiB of the API's own memory. */
function ownMemory(): number {
  const status = readFileSync(`/proc/${service.child('api').pid}/status`, 'utf8');
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
}

/** Calls of an honest client, before and among the others. @returns the highest memory use meanwhile, in MiB */
async function servedWell(): Promise<number> {
  let most = 0;
  for (let call = 0; call < 20; call += 1) {
    const draft = collectionOf(caller, service.merchant.credentials.accountNo);
    delete draft.headers['x-forwarded-for'];
    draft.fields['reference'] = `WELL-${sockets.length}-${call}-${Math.round(performance.now())}`;
    expect((await send(service.baseUrl, draft)).status).toBe(202);
    most = Math.max(most, ownMemory());
  }
  return most;
}

const batches = { path: '/api/v4/payout-batches', limit: 512 * 1024 };
/** The same bodies in memory at once would be 300 MiB. */
const many = 600;
const flatMiB = 100;

describe('hundreds of bodies that lack their last byte', () => {
  it('from senders without a token are not read, and honest callers are served', async () => {
    // As many connections with hardly a body: their own memory is no part of the measurement.
    const small = flood({ ...batches, limit: 2, count: many, from: '127.0.0.3' });
    await servedWell();
    await eventually(small, (all) => all.length === many);
    const before = ownMemory();
    const statuses = flood({ ...batches, count: many, from: '127.0.0.4' });
    const most = await servedWell();
    await eventually(statuses, (all) => all.length === many);
    // A sender of so many also has to wait because of its failures (AUTH-28).
    expect([...new Set(await statuses())].sort().join(' ')).toMatch(/^401( 429)?$/);
    expect(Math.max(most, ownMemory()) - before).toBeLessThan(flatMiB);
  });

  it('from a sender with a token use no more than its address may have', async () => {
    const before = ownMemory();
    const headers = `Authorization: Bearer ${caller.accessToken}\r\n`;
    const statuses = flood({ ...batches, count: many, from: '127.0.0.5', headers });
    const most = await servedWell();
    await eventually(statuses, (all) => all.length >= many - 16);
    expect(new Set(await statuses())).toEqual(new Set(['429']));
    expect(Math.max(most, ownMemory()) - before).toBeLessThan(flatMiB);
  });

  it('behind a trusted proxy count for the client that the proxy names', async () => {
    const ofClient = (client: string) =>
      `Authorization: Bearer ${caller.accessToken}\r\nX-Forwarded-For: ${client}\r\n`;
    const proxied = { ...batches, from: '127.0.0.9', headers: ofClient('127.0.7.1') };
    const statuses = flood({ ...proxied, count: 40 });
    await eventually(statuses, (all) => all.length === 24);
    const others = flood({ ...proxied, count: 10, headers: ofClient('127.0.7.2') });
    await servedWell();
    expect([new Set(await statuses()), await others()]).toEqual([new Set(['429']), []]);
  });

  it('for the rail’s callbacks are limited, while other callbacks and calls continue', async () => {
    const rails = { path: `/rails/${'ab'.repeat(60)}`, limit: 64 * 1024 };
    const statuses = flood({ ...rails, count: 300, from: '127.0.0.6' });
    await eventually(statuses, (all) => all.length === 300 - 32);
    expect(new Set(await statuses())).toEqual(new Set(['429']));
    const answer = await fetch(`${service.baseUrl}${rails.path}`, { method: 'POST', body: '{}' });
    expect(answer.status).toBe(200);
    await servedWell();
  });
});
