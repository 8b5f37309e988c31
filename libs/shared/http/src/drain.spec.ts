import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Controller, Get, Module } from '@nestjs/common';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger, Metrics } from '#infra/runtime';
import { createHttpApp, Drain, WithoutAuthentication } from './index.js';

/** The number of requests that were read so far. */
let begun = 0;

@Controller('slow')
@WithoutAuthentication('a specimen')
class Slow {
  @Get()
  async get() {
    begun += 1;
    await sleep(100);
    return {};
  }
}
@Module({ controllers: [Slow] })
class Specimen {}

let app: NestFastifyApplication;
let drain: Drain;
beforeEach(async () => {
  drain = new Drain();
  const logger = createLogger({ app: 'test', level: 'silent' });
  const options = { trustedProxies: [], logger, metrics: new Metrics(), drain };
  app = await createHttpApp(Specimen, options);
  await app.listen(0, '127.0.0.1');
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await app.close();
});

const sockets: Socket[] = [];
const get = 'GET /slow HTTP/1.1\r\nHost: x\r\n\r\n';

interface Connection {
  readonly socket: Socket;
  /** The number of answers so far. */
  readonly answered: () => number;
  /** The number of answers so far that said `Connection: close`. */
  readonly toldToClose: () => number;
  readonly ended: Promise<unknown>;
}

function open(): Connection {
  const { port } = app.getHttpServer().address() as { port: number };
  const socket = connect({ port, host: '127.0.0.1' });
  sockets.push(socket);
  let text = '';
  socket.on('data', (bytes) => (text += bytes.toString()));
  const count = (of: RegExp) => (text.match(of) ?? []).length;
  return {
    socket,
    answered: () => count(/HTTP\/1\.1 200 OK/g),
    toldToClose: () => count(/connection: close/gi),
    ended: new Promise((resolve) => socket.once('close', resolve)),
  };
}

async function answers(connection: Connection, wanted: number): Promise<void> {
  while (connection.answered() < wanted) await sleep(5);
}

describe('a draining server', () => {
  it('continues to answer, and closes each connection with its next answer', async () => {
    const held = open();
    held.socket.write(get);
    await answers(held, 1);
    expect(held.toldToClose()).toBe(0);
    drain.begin();
    held.socket.write(get);
    await held.ended;
    expect([held.answered(), held.toldToClose()]).toEqual([2, 1]);
    const late = open();
    late.socket.write(get);
    await late.ended;
    expect([late.answered(), late.toldToClose()]).toEqual([1, 1]);
  });

  it('answers all requests on a connection before it closes the connection', async () => {
    const pipelined = open();
    drain.begin();
    pipelined.socket.write(get.repeat(5));
    await answers(pipelined, 1);
    await app.close();
    await pipelined.ended;
    expect(pipelined.answered()).toBe(5);
    expect(pipelined.toldToClose()).toBeLessThanOrEqual(1);
  });

  it('ends once every request is answered, even if clients keep their connections open', async () => {
    const clients = [open(), open()];
    for (const { socket } of clients) socket.write(get);
    for (const client of clients) await answers(client, 1);
    const before = begun;
    clients[0]?.socket.write(get);
    while (begun === before) await sleep(5);
    await app.close();
    await Promise.all(clients.map(({ ended }) => ended));
    expect(clients.map(({ answered }) => answered())).toEqual([2, 1]);
  });
});
