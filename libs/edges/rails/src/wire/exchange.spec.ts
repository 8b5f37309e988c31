import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Pool } from 'undici';
import { exchange } from './exchange.js';

const request = { method: 'POST', path: '/', body: '{}' } as const;

describe('a request that waits behind another one', () => {
  let server: Server;
  let pool: Pool;
  let received = 0;
  /** Lets the server answer. */
  let letGo: () => void;

  beforeEach(async () => {
    received = 0;
    const answering = new Promise<void>((resolve) => (letGo = resolve));
    server = createServer((_request, response) => {
      received += 1;
      void answering.then(() => response.end('done'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    pool = new Pool(`http://127.0.0.1:${port}`, { connections: 1, pipelining: 1 });
  });
  afterEach(async () => {
    await pool.destroy();
    server.closeAllConnections();
    server.close();
  });

  it('past its deadline was not sent, and is not sent afterwards', async () => {
    const first = exchange(pool, request, { answerWithinMs: 60_000, lateWithinMs: 0 });
    const second = await exchange(pool, request, { answerWithinMs: 50, lateWithinMs: 1000 });
    letGo();
    expect(second).toEqual({ kind: 'not_sent', why: 'no_connection' });
    expect(await first).toEqual({ kind: 'answered', status: 200, body: 'done' });
    await sleep(100);
    expect(received).toBe(1);
  });

  it('is sent when the connection is free', async () => {
    const patience = { answerWithinMs: 60_000, lateWithinMs: 0 };
    const both = [exchange(pool, request, patience), exchange(pool, request, patience)];
    letGo();
    expect((await Promise.all(both)).map(({ kind }) => kind)).toEqual(['answered', 'answered']);
    expect(received).toBe(2);
  });
});
