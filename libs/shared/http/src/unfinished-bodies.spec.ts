import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type CanActivate, Controller, Injectable, Module, Post, Req } from '@nestjs/common';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { createLogger, Metrics } from '#infra/runtime';
import { type FastifyRequest } from 'fastify';
import {
  authenticatedBy,
  BodyLimit,
  bodyLimitsFor,
  createHttpApp,
  Problem,
  readBody,
  WithoutAuthentication,
} from './index.js';

/** So long that no test waits for it. A held-up request stays so until its test releases it. */
const gate = { opened: Promise.resolve() };

@Injectable()
class AsksSlowly implements CanActivate {
  async canActivate(): Promise<boolean> {
    await gate.opened;
    throw new Problem({ status: 401, code: 'invalid_token' });
  }
}

@Controller('api/v4/things')
class SignedController {
  @Post()
  @authenticatedBy(AsksSlowly)
  post() {
    return {};
  }
}

@Controller('open')
@WithoutAuthentication('a specimen')
class OpenController {
  @Post()
  async post(@Req() request: FastifyRequest) {
    return { bytes: (await readBody(request))?.bytes.length ?? 0 };
  }
  @Post('large')
  @BodyLimit(100_000)
  async large(@Req() request: FastifyRequest) {
    return { bytes: (await readBody(request))?.bytes.length ?? 0 };
  }
}

@Controller('rails')
@WithoutAuthentication('a specimen')
class RailsController {
  @Post()
  async post(@Req() request: FastifyRequest) {
    return { bytes: (await readBody(request))?.bytes.length ?? 0 };
  }
}

@Module({
  controllers: [SignedController, OpenController, RailsController],
  providers: [AsksSlowly],
})
class Specimen {}

const bodyLimits = { maxBytes: 300_000, maxBytesPerSource: 100_000 };
const metrics = new Metrics();
let app: NestFastifyApplication;
let port: number;
beforeAll(async () => {
  app = await createHttpApp(Specimen, {
    trustedProxies: ['127.0.0.9'],
    logger: createLogger({ app: 'test', level: 'silent' }),
    metrics,
    bodyLimits,
  });
  await app.listen(0, '127.0.0.1');
  port = (app.getHttpServer().address() as { port: number }).port;
});
afterAll(() => app.close());

const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await until(async () => (await heldBytes()) === 0);
});

async function heldBytes(): Promise<number> {
  const text = await metrics.registry.getSingleMetricAsString(
    'pesapost_http_unfinished_body_bytes',
  );
  return Number(/_bytes (\d+)/.exec(text)?.[1]);
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`never so; held: ${await heldBytes()}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

interface Sent {
  readonly from?: string;
  readonly path?: string;
  /** The length of the whole body; chunked if undefined. */
  readonly length?: number;
  /** The number of its bytes that are sent. */
  readonly bytes: number;
  readonly headers?: string;
}

interface Connection {
  readonly socket: Socket;
  readonly text: () => string;
  /** The answer's status, once there is one. */
  readonly status: Promise<number>;
}

function send({
  from = '127.0.0.1',
  path = '/open',
  length,
  bytes,
  headers = '',
}: Sent): Connection {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from });
  sockets.push(socket);
  let text = '';
  const status = new Promise<number>((resolve) => {
    socket.on('data', (chunk) => {
      text += chunk.toString();
      const [, found] = /HTTP\/1\.1 (?!100)(\d+)/.exec(text) ?? [];
      if (found !== undefined) resolve(Number(found));
    });
  });
  socket.on('error', () => undefined);
  const framing = length === undefined ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`;
  socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\n${framing}\r\n${headers}\r\n`);
  if (bytes > 0 && length === undefined) socket.write(`${bytes.toString(16)}\r\n`);
  socket.write('x'.repeat(bytes));
  return { socket, text: () => text, status };
}

describe('incomplete bodies', () => {
  it('are limited per address by their announced length, while others continue', async () => {
    send({ length: 60_000, bytes: 59_999 });
    await until(async () => (await heldBytes()) === 60_000);
    const refused = send({ length: 60_000, bytes: 59_999 });
    expect(await refused.status).toBe(429);
    expect(refused.text()).toMatch(/\r\nretry-after: 1\r\n[^]*\{"error":"rate_limited"\}$/);
    expect(refused.text()).toContain('connection: close');
    expect(await send({ length: 30_000, bytes: 30_000 }).status).toBe(201);
    expect(await send({ from: '127.0.0.2', length: 60_000, bytes: 60_000 }).status).toBe(201);
  });

  it('are limited in total, separately for each interface', async () => {
    for (const host of [3, 4, 5])
      send({ from: `127.0.0.${host}`, path: '/open/large', length: 100_000, bytes: 10 });
    await until(async () => (await heldBytes()) === 300_000);
    const refused = send({ from: '127.0.0.6', length: 10, bytes: 10 });
    expect(await refused.status).toBe(503);
    expect(refused.text()).toMatch(/\r\nretry-after: 1\r\n[^]*\{"error":"service_unavailable"\}$/);
    expect(await send({ path: '/rails', length: 10, bytes: 10 }).status).toBe(201);
  });

  it('count as they arrive if they do not announce a length', async () => {
    send({ bytes: 34_000 });
    await until(async () => (await heldBytes()) === 34_000);
    const other = send({ path: '/open/large', bytes: 20_000 });
    await until(async () => (await heldBytes()) === 54_000);
    other.socket.write(`\r\nc350\r\n${'x'.repeat(0xc350)}`);
    expect(await other.status).toBe(429);
  });

  it('count for the client, not for the proxy in front of it', async () => {
    const behind = (client: string, bytes: number) =>
      send({
        from: '127.0.0.9',
        length: 60_000,
        bytes,
        headers: `X-Forwarded-For: ${client}\r\n`,
      });
    behind('203.0.113.7', 10);
    await until(async () => (await heldBytes()) === 60_000);
    expect(await behind('203.0.113.7', 10).status).toBe(429);
    expect(await behind('203.0.113.8', 60_000).status).toBe(201);
  });

  it('no longer count once they are complete, rejected or cut off', async () => {
    for (const length of [100, 60_000, 100])
      expect(await send({ length, bytes: length }).status).toBe(201);
    expect(await heldBytes()).toBe(0);
    const cutOff = send({ length: 60_000, bytes: 10 });
    await until(async () => (await heldBytes()) === 60_000);
    cutOff.socket.destroy();
    await until(async () => (await heldBytes()) === 0);
    expect(await send({ path: '/api/v4/things', length: 60_000, bytes: 10 }).status).toBe(401);
    expect(await heldBytes()).toBe(0);
  });

  it('count for the bytes that may be unread while the sender is identified', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    gate.opened = promise.then(() => undefined);
    const waiting = send({ path: '/api/v4/things', bytes: 10 });
    await until(async () => (await heldBytes()) === 64 * 1024);
    expect(await send({ path: '/api/v4/things', length: 60_000, bytes: 10 }).status).toBe(429);
    resolve(undefined);
    expect(await waiting.status).toBe(401);
  });
});

describe('a body', () => {
  it('is requested when it is read, so not from a rejected sender', async () => {
    const expecting = { length: 5, headers: 'Expect: 100-continue\r\n', bytes: 0 };
    const refused = send({ ...expecting, path: '/api/v4/things' });
    expect(await refused.status).toBe(401);
    expect(refused.text()).not.toContain(' 100 ');
    const taken = send(expecting);
    await until(() => taken.text().startsWith('HTTP/1.1 100 Continue\r\n\r\n'));
    taken.socket.write('hello');
    expect(await taken.status).toBe(201);
  });

  it('is limited so that one source may send several of the longest', () => {
    expect(bodyLimitsFor(512 * 1024)).toEqual({
      maxBytes: 64 * 1024 * 1024,
      maxBytesPerSource: 8 * 1024 * 1024,
    });
    expect(bodyLimitsFor(64 * 1024).maxBytesPerSource).toBe(2 * 1024 * 1024);
  });
});
