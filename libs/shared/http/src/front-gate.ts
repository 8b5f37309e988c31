import { type INestApplicationContext } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type ErrorPages, Problem, ProblemWriter } from './problem.js';

/**
 * A gate before routing. It sees every request, even those without a route, before their bodies are read. A provider of
 * this kind in any module of the application becomes a gate.
 */
export abstract class FrontGate {
  /**
   * May set headers for every answer to the request, and may answer it.
   * @returns true if the request goes on; if false, the gate has answered it
   * @throws Problem
   */
  abstract pass(request: FastifyRequest, reply: FastifyReply): boolean;
}

/** Returns each provider of a kind, in any module of the application. */
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

/** The parts of the application before its routes. They are known once the application exists. */
export class Front {
  readonly gates: FrontGate[] = [];
  readonly pages: ErrorPages[] = [];
  readonly problems = new ProblemWriter(this.pages);

  /** @returns true if the request goes on */
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

/** Runs the gates before any other hook, so that they also see requests without a route. */
export function runGatesFirst(fastify: FastifyInstance, front: Front): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    if (front.pass(request, reply)) done();
  });
}
