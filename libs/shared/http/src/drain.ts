import { type Server } from 'node:http';
import { type FastifyInstance } from 'fastify';
import { type Unanswered } from './connection-limits.js';

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
