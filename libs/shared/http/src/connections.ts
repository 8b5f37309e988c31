import { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Socket } from 'node:net';
import { AddressRanges } from '#infra/runtime';
import { plainAddress, sourceOf } from './callers.js';
import { type FastifyInstance } from 'fastify';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';

/** What one peer may hold of the server before it has proved anything. */
export interface ConnectionLimits {
  /** Open connections in all; the next one is closed at once. */
  readonly max: number;
  /** Open connections from one source (`sourceOf`), trusted proxies apart: one peer cannot take all there are. */
  readonly maxPerSource: number;
  /** Requests of one connection that wait for their answers (pipelining); one more ends the connection. */
  readonly maxUnanswered: number;
  /** A request's head must be here after this long, and all of it after `requestTimeoutMs`. */
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /**
   * A peer that takes nothing of what it is sent for so long is cut off, after twice this time at the latest. Who waits
   * for its answer is not, however long that takes: the work behind it has deadlines of its own.
   */
  readonly unreadTimeoutMs: number;
  /** How often slow requests are looked for, so how late they may be found. */
  readonly checkEveryMs: number;
}

export const connectionLimits: ConnectionLimits = {
  max: 5000,
  maxPerSource: 1000,
  maxUnanswered: 100,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  unreadTimeoutMs: 60_000,
  checkEveryMs: 2000,
};

/** How many requests of a connection wait for their answers. */
type Unanswered = (socket: Socket) => number;

/** Closes connections beyond the limits. Who is refused so gets no answer: there is no request to answer. */
export function boundConnections(
  server: Server,
  limits: ConnectionLimits,
  trustedProxies: readonly string[],
): Unanswered {
  const proxies = new AddressRanges(trustedProxies);
  const open = new Map<string, number>();
  server.maxConnections = limits.max;
  server.on('connection', (socket: Socket) => {
    const address = plainAddress(socket.remoteAddress ?? '');
    if (address === undefined || proxies.has(address)) return;
    const source = sourceOf(address);
    const count = (open.get(source) ?? 0) + 1;
    open.set(source, count);
    socket.once('close', () => {
      const left = (open.get(source) ?? 1) - 1;
      if (left === 0) open.delete(source);
      else open.set(source, left);
    });
    if (count > limits.maxPerSource) socket.destroy();
  });
  const unanswered = boundPipelining(server, limits.maxUnanswered);
  cutOffWhoReadsNothing(server, unanswered);
  return unanswered;
}

/**
 * Node tells of a connection on which nothing moved for the server's `timeout`, bytes that the peer's machine takes
 * included, and with a listener leaves it to us to end it. Idle ones (keep-alive) are told of in the same way.
 */
function cutOffWhoReadsNothing(server: Server, unanswered: Unanswered): void {
  server.on('timeout', (socket: Socket) => {
    if (socket.writableLength > 0 || unanswered(socket) === 0) socket.destroy();
  });
}

/** Node starts every request that it has read, whether or not those before it were answered. */
function boundPipelining(server: Server, maxUnanswered: number): Unanswered {
  const unanswered = new WeakMap<Socket, number>();
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const count = (unanswered.get(socket) ?? 0) + 1;
    unanswered.set(socket, count);
    response.once('close', () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1));
    if (count > maxUnanswered) socket.destroy();
  });
  return (socket) => unanswered.get(socket) ?? 0;
}

/** How often connections are looked at that carry nothing any more. */
const sweepMs = 100;

/**
 * A server that is about to end. From `begin` on the last answer that a connection waits for says `Connection: close`,
 * so that its client opens the next one elsewhere, and nothing is under way on it when the server ends.
 */
export class Drain {
  #begun = false;

  get hasBegun(): boolean {
    return this.#begun;
  }

  begin(): void {
    this.#begun = true;
  }

  /** Before the server listens. */
  watch(fastify: FastifyInstance, unanswered: Unanswered): void {
    fastify.addHook('onSend', ({ socket }, reply, _payload, done) => {
      // Others of the same connection (pipelining) would never be answered.
      if (this.#begun && unanswered(socket) <= 1) void reply.header('Connection', 'close');
      done();
    });
    fastify.addHook('preClose', (done) => {
      this.#begun = true;
      sweepIdle(fastify.server);
      done();
    });
  }
}

/** Connections whose last answer was sent before `begin`, and who then ask no more, would hold up the end. */
function sweepIdle(server: Server): void {
  const sweep = setInterval(() => {
    server.closeIdleConnections();
  }, sweepMs);
  server.once('close', () => {
    clearInterval(sweep);
  });
}

/**
 * Listens on the host's address. Without a host that is every address of the machine, IPv6 and IPv4, or IPv4 alone where
 * the machine has no IPv6.
 * @returns the port; a free one for port 0
 */
export async function listenOn(
  app: NestFastifyApplication,
  { host, port }: { readonly host: string | undefined; readonly port: number },
): Promise<number> {
  if (host === undefined) await listenEverywhere(app, port);
  else await app.listen(port, host);
  return (app.getHttpServer().address() as { port: number }).port;
}

async function listenEverywhere(app: NestFastifyApplication, port: number): Promise<void> {
  try {
    await app.listen(port, '::');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAFNOSUPPORT') throw error;
    await app.listen(port, '0.0.0.0');
  }
}
