import { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Socket } from 'node:net';
import { AddressRanges } from '#infra/runtime';
import { plainAddress, sourceOf } from './callers.js';
import { type FastifyInstance } from 'fastify';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';

/** The limits for a peer that has not proved anything yet. */
export interface ConnectionLimits {
  /** The limit of open connections in all; the next one is closed at once. */
  readonly max: number;
  /**
   * The limit of open connections from one source (`sourceOf`), except trusted proxies, so that one peer cannot take
   * them all.
   */
  readonly maxPerSource: number;
  /** The limit of requests on one connection that wait for their answers (pipelining). One more ends the connection. */
  readonly maxUnanswered: number;
  /** A request's head must arrive within this time, and all of it within `requestTimeoutMs`. */
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /**
   * A peer that reads nothing of its answer for this long is cut off, after twice this time at the latest. A peer that
   * waits for its answer is not cut off, however long that takes, because the work behind it has deadlines of its own.
   */
  readonly unreadTimeoutMs: number;
  /** How often the server looks for slow requests, and so how late it may find them. */
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

/** Returns how many requests of a connection wait for their answers. */
type Unanswered = (socket: Socket) => number;

/**
 * Closes connections beyond the limits. A peer that is refused in this way gets no answer, because there is no request.
 */
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
 * Ends connections whose peer reads nothing. Node reports a connection on which nothing moved for the server's
 * `timeout`, including bytes that the peer's machine accepts. If there is a listener, Node leaves the ending to it.
 * Idle (keep-alive) connections are reported in the same way.
 */
function cutOffWhoReadsNothing(server: Server, unanswered: Unanswered): void {
  server.on('timeout', (socket: Socket) => {
    if (socket.writableLength > 0 || unanswered(socket) === 0) socket.destroy();
  });
}

/** Limits pipelining. Node starts every request that it has read, even if those before it have no answer yet. */
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

/** How often idle connections are looked for. */
const sweepMs = 100;

/**
 * The state of a server that is about to end. After `begin`, the last answer that a connection waits for says
 * `Connection: close`. So its client opens the next connection elsewhere, and nothing is under way on it when the
 * server ends.
 */
export class Drain {
  #begun = false;

  get hasBegun(): boolean {
    return this.#begun;
  }

  begin(): void {
    this.#begun = true;
  }

  /** Adds the hooks. Called before the server listens. */
  watch(fastify: FastifyInstance, unanswered: Unanswered): void {
    fastify.addHook('onSend', ({ socket }, reply, _payload, done) => {
      // Otherwise the other requests of the connection (pipelining) would never get an answer.
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

/**
 * Closes idle connections. Those whose last answer was sent before `begin`, and that send no more requests, would delay
 * the end.
 */
function sweepIdle(server: Server): void {
  const sweep = setInterval(() => {
    server.closeIdleConnections();
  }, sweepMs);
  server.once('close', () => {
    clearInterval(sweep);
  });
}

/**
 * Listens on the host's address. Without a host it listens on every address of the machine, IPv6 and IPv4, or only IPv4
 * if the machine has no IPv6.
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
