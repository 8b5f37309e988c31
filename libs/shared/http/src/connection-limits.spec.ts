import { EventEmitter, once } from 'node:events';
import { type Server } from 'node:http';
import { type Socket, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Controller, Get, Module, Post, Req, StreamableFile } from '@nestjs/common';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { createLogger, Metrics } from '#infra/runtime';
import { boundConnections, connectionLimits } from './connections.js';
import { type FastifyRequest } from 'fastify';
import { createHttpApp, readBody, WithoutAuthentication } from './index.js';

const limits = {
  max: 12,
  maxPerSource: 6,
  maxUnanswered: 20,
  // Longer than any pause of a busy machine.
  headersTimeoutMs: 60_000,
  requestTimeoutMs: 60_000,
  unreadTimeoutMs: 4000,
  checkEveryMs: 50,
};
/** The limits of a server that soon cuts off a slow client. */
const strict = { ...limits, headersTimeoutMs: 300, requestTimeoutMs: 600, unreadTimeoutMs: 400 };
let served = 0;
/** More than the machine's buffers between two sockets can take. */
const large = Buffer.alloc(16 * 1024 * 1024);

@Controller('slow')
@WithoutAuthentication('a specimen')
class Slow {
  @Get()
  async get() {
    served += 1;
    await sleep(100);
    return {};
  }
  @Get('large')
  large() {
    return new StreamableFile(large);
  }
  @Get('silent')
  async silent() {
    await sleep(3 * limits.unreadTimeoutMs);
    return {};
  }
  @Post()
  async post(@Req() request: FastifyRequest) {
    await readBody(request);
    return {};
  }
}
@Module({ controllers: [Slow] })
class Specimen {}

let [app, strictApp]: NestFastifyApplication[] = [];
async function start(of: typeof limits): Promise<NestFastifyApplication> {
  const started = await createHttpApp(Specimen, {
    trustedProxies: ['127.0.0.2'],
    logger: createLogger({ app: 'test', level: 'silent' }),
    metrics: new Metrics(),
    limits: of,
  });
  await started.listen(0, '127.0.0.1');
  return started;
}
beforeAll(async () => {
  [app, strictApp] = [await start(limits), await start(strict)];
});
afterAll(() => Promise.all([app?.close(), strictApp?.close()]));

const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await connectionsAre(0);
});

/** The number of connections that a server has. */
const connections = (server = app): Promise<number> =>
  new Promise((resolve, reject) => {
    server?.getHttpServer().getConnections((error, count) => {
      if (error) reject(error);
      else resolve(count);
    });
  });

/** Waits until the server has so many connections; the test's own deadline ends a wait in vain. */
async function connectionsAre(count: number): Promise<void> {
  while ((await connections()) !== count) await sleep(10);
}

interface Connection {
  readonly socket: Socket;
  readonly text: () => string;
  readonly ended: Promise<string>;
}

/** Opens a connection that sends bytes unchanged. */
function open(localAddress = '127.0.0.1', server = app): Connection {
  const chunks: Buffer[] = [];
  const { port } = server?.getHttpServer().address() as { port: number };
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  sockets.push(socket);
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.on('error', () => undefined);
  const text = (): string => Buffer.concat(chunks).toString();
  const ended = new Promise<string>((resolve) =>
    socket.once('close', () => {
      resolve(text());
    }),
  );
  return { socket, text, ended };
}

/** Waits until the condition holds, a minute at most. */
async function until(holds: () => boolean): Promise<void> {
  for (const end = performance.now() + 60_000; !holds() && performance.now() < end;)
    await sleep(10);
}

const refused = /^HTTP\/1\.1 400 Bad Request\r\n[^]*\{"error":"invalid_request"\}$/;

describe('a request that arrives too slowly ends with its connection:', () => {
  it.each([
    ['a head a byte at a time', 'GET /slow HTTP/1.1\r\nX-A: ', 'a'],
    [
      'a body a byte at a time',
      'POST /slow HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\n',
      'a',
    ],
    [
      'a chunked body without an end',
      'POST /slow HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n',
      '1\r\na\r\n',
    ],
  ])('%s', async (_, head, drip) => {
    const { socket, ended } = open('127.0.0.1', strictApp);
    socket.write(head);
    const dripping = setInterval(() => socket.write(drip), 40);
    const started = performance.now();
    expect(await ended).toMatch(refused);
    clearInterval(dripping);
    expect(performance.now() - started).toBeLessThan(60_000);
  });
});

describe('connections are bounded:', () => {
  /** Returns how many are still open, once no more than so many are. */
  const stillOpen = async (all: readonly Connection[], most: number): Promise<number> => {
    const count = () => all.filter(({ socket }) => !socket.destroyed).length;
    while (count() > most) await sleep(10);
    await sleep(150);
    return count();
  };

  it('one source cannot have more than its share, and others are served', async () => {
    const greedy = Array.from({ length: 10 }, () => open());
    expect(await stillOpen(greedy, limits.maxPerSource)).toBe(limits.maxPerSource);
    const other = open('127.0.0.3');
    other.socket.write('GET /slow HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    expect(await other.ended).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('addresses of one IPv6 network (/64) have one share', () => {
    const server = new EventEmitter() as Server;
    boundConnections(server, { ...connectionLimits, maxPerSource: 2 }, []);
    const isTaken = (remoteAddress: string): boolean => {
      const socket = Object.assign(new EventEmitter(), { remoteAddress, destroy: jest.fn() });
      server.emit('connection', socket);
      return socket.destroy.mock.calls.length === 0;
    };
    expect(['2001:db8::1', '2001:db8::2', '2001:db8::3'].map(isTaken)).toEqual([true, true, false]);
    expect(isTaken('2001:db8:0:1::1')).toBe(true);
  });

  it('a trusted proxy has no share, but there is a limit for all connections', async () => {
    const proxied = Array.from({ length: 15 }, () => open('127.0.0.2'));
    expect(await stillOpen(proxied, limits.max)).toBe(limits.max);
  });

  it('a closed connection makes room for another', async () => {
    const all = Array.from({ length: limits.maxPerSource }, () => open());
    await connectionsAre(limits.maxPerSource);
    all[0]?.socket.destroy();
    await connectionsAre(limits.maxPerSource - 1);
    const next = open();
    next.socket.write('GET /slow HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    expect(await next.ended).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('a peer that requests a large answer', () => {
  const get = 'GET /slow/large HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';

  it('and reads nothing of it is disconnected', async () => {
    const asked = once(strictApp?.getHttpServer() as Server, 'request');
    const { socket } = open('127.0.0.1', strictApp);
    socket.pause();
    socket.write(get);
    await asked;
    const started = performance.now();
    while ((await connections(strictApp)) > 0) await sleep(20);
    expect(performance.now() - started).toBeLessThan(60_000);
  });

  it('and reads it slowly gets all of it', async () => {
    const { socket, ended, text } = open();
    const started = performance.now();
    let read = 0;
    socket.on('data', ({ length }: Buffer) => {
      read += length;
      const dueAt = started + (read / large.length) * 3 * limits.unreadTimeoutMs;
      socket.pause();
      setTimeout(() => socket.resume(), Math.max(1, dueAt - performance.now()));
    });
    socket.write(get);
    await ended;
    expect(performance.now() - started).toBeGreaterThan(2 * limits.unreadTimeoutMs);
    expect(text().length).toBeGreaterThan(large.length);
  });

  it('and waits for a slow answer gets it', async () => {
    const { socket, ended } = open();
    socket.write('GET /slow/silent HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    expect(await ended).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('pipelined requests', () => {
  const get = 'GET /slow HTTP/1.1\r\nHost: x\r\n\r\n';

  it('are answered in turn up to the limit', async () => {
    const { socket, text } = open();
    socket.write(get.repeat(limits.maxUnanswered));
    const answers = () => text().match(/HTTP\/1\.1 200 OK/g) ?? [];
    while (answers().length < limits.maxUnanswered) await sleep(20);
    expect(answers()).toHaveLength(limits.maxUnanswered);
  });

  it('end the connection beyond the limit, and the rest is not served', async () => {
    served = 0;
    const { socket, ended } = open();
    socket.write(get.repeat(500));
    await ended;
    expect(served).toBeLessThanOrEqual(limits.maxUnanswered);
  });
});

describe('input that HTTP does not allow', () => {
  it.each([
    ['no Host', 'GET /slow HTTP/1.1\r\n\r\n'],
    [
      'two lengths',
      'POST /slow HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
    ],
    [
      'a length and chunks',
      'POST /slow HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a bare CR in a header', 'GET /slow HTTP/1.1\r\nHost: x\r\nX-A: a\rb\r\n\r\n'],
    ['a NUL in a header', 'GET /slow HTTP/1.1\r\nHost: x\r\nX-A: a\0b\r\n\r\n'],
    ['a folded header', 'GET /slow HTTP/1.1\r\nHost: x\r\nX-A: a\r\n b: c\r\n\r\n'],
    [
      'a chunk of a senseless size',
      'POST /slow HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    ],
    ['a method of nobody', 'FOO /slow HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['TLS', Buffer.from('16030100c8010000c40303', 'hex').toString('latin1')],
    ['a head of 20 KB', `GET /slow HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`],
  ])('%s is rejected with the standard error', async (_, bytes) => {
    const { socket, ended, text } = open();
    socket.write(bytes, 'latin1');
    await Promise.race([ended, until(() => refused.test(text()))]);
    expect(text()).toMatch(refused);
  });

  it('a method without a route is 405 or 404, a fragment is 404, and an expectation is ignored', async () => {
    const answerTo = async (head: string): Promise<string> => {
      const { socket, ended } = open();
      socket.write(`${head}\r\nHost: x\r\nConnection: close\r\n\r\n`);
      return (await ended).slice(9, 12);
    };
    expect(await answerTo('PROPFIND /slow HTTP/1.1')).toBe('405');
    expect(await answerTo('QUERY /slow HTTP/1.1')).toBe('405');
    expect(await answerTo('QUERY /nowhere HTTP/1.1')).toBe('404');
    expect(await answerTo('TRACE /nowhere HTTP/1.1')).toBe('404');
    expect(await answerTo('GET /slow#a?b HTTP/1.1')).toBe('404');
    expect(await answerTo('GET http://x/slow HTTP/1.1')).toBe('200');
    expect(await answerTo('GET /slow HTTP/1.1\r\nExpect: a-cat')).toBe('200');
    expect(await answerTo('GET /slow HTTP/1.1\r\nUpgrade: websocket\r\nConnection: upgrade')).toBe(
      '200',
    );
  });

  it('404 and 405 have precedence over 413, without reading the body', async () => {
    for (const [method, path, status] of [
      ['POST', '/nowhere', '404'],
      ['PUT', '/slow', '405'],
      ['POST', '/slow', '413'],
      ['GET', '/slow', '413'],
    ] as const) {
      const { socket, ended, text } = open();
      socket.write(`${method} ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 70000\r\n\r\n`);
      await Promise.race([ended, until(() => text().length >= 12)]);
      expect(text().slice(9, 12)).toBe(status);
    }
  });
});

describe('arbitrary bytes', () => {
  const head = 'POST /slow HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nX-A: b\r\n\r\nhello';
  const pieces = [
    '\r\n',
    '\r',
    '\n',
    ' ',
    '\t',
    '\0',
    ':',
    '%',
    '\x80',
    'HTTP/2.0',
    'chunked',
    '9'.repeat(30),
  ];

  /** A request with some bytes cut out and others put there. */
  const mangled = fc
    .array(fc.tuple(fc.nat(head.length), fc.nat(6), fc.constantFrom('', ...pieces)), {
      minLength: 1,
      maxLength: 4,
    })
    .map((cuts) =>
      cuts.reduce(
        (text, [at, length, piece]) => text.slice(0, at) + piece + text.slice(at + length),
        head,
      ),
    );

  it('get the contract’s answer, or the connection ends', async () => {
    const answers = new Set<string>();
    for (const bytes of fc.sample(mangled, { numRuns: 600, seed: 20_261_121 })) {
      const { socket, ended, text } = open();
      socket.end(Buffer.from(bytes, 'latin1'));
      await ended;
      for (const [, status = ''] of text().matchAll(/HTTP\/1\.1 (\d+) /g)) answers.add(status);
    }
    expect(
      [...answers].filter((status) => !['200', '201', '400', '404', '405', '413'].includes(status)),
    ).toEqual([]);
    expect([...answers]).toContain('400');
    const { socket, ended } = open();
    socket.write('GET /slow HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    expect(await ended).toMatch(/^HTTP\/1\.1 200 /);
  });
});
