import { type INestApplicationContext } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type ErrorPages, Problem, ProblemWriter } from './problem.js';

/**
 * Stands before routing: sees every request, also those that no route takes, before their bodies are read. A provider
 * of this kind in any module of the application is one.
 */
export abstract class FrontGate {
  /**
   * May set headers that every answer to the request is to carry, and may answer it.
   * @returns whether the request goes on; where it does not, the gate has answered it
   * @throws Problem
   */
  abstract pass(request: FastifyRequest, reply: FastifyReply): boolean;
}

/** Each provider of a kind, of whichever module of the application. */
export function providersOf<Kind>(
  app: INestApplicationContext,
  kind: abstract new () => Kind,
): readonly Kind[] {
  const instances = [...app.get(ModulesContainer).values()]
    .flatMap((module) => [...module.providers.values()])
    .map(({ instance }): unknown => instance)
    .filter((instance): instance is Kind => instance instanceof kind);
  return [...new Set(instances)];
}

/** What of the application stands before its routes; it is known once the application exists. */
export class Front {
  readonly gates: FrontGate[] = [];
  readonly pages: ErrorPages[] = [];
  readonly problems = new ProblemWriter(this.pages);

  /** @returns whether the request goes on */
  pass(request: FastifyRequest, reply: FastifyReply): boolean {
    try {
      return this.gates.every((gate) => gate.pass(request, reply));
    } catch (thrown) {
      if (!(thrown instanceof Problem)) throw thrown;
      this.problems.write(request, reply, thrown);
      return false;
    }
  }
}

/** Before anything else is said of a request, so that a gate sees those as well that no route takes. */
export function runGatesFirst(fastify: FastifyInstance, front: Front): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    if (front.pass(request, reply)) done();
  });
}
