import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type INestApplicationContext } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { Problem, writeProblem } from './problem.js';

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

export function frontGatesOf(app: INestApplicationContext): readonly FrontGate[] {
  const instances = [...app.get(ModulesContainer).values()]
    .flatMap((module) => [...module.providers.values()])
    .map(({ instance }): unknown => instance)
    .filter((instance) => instance instanceof FrontGate);
  return [...new Set(instances)];
}

/** @returns whether the request goes on */
export function passGates(
  gates: readonly FrontGate[],
  request: FastifyRequest,
  reply: FastifyReply,
): boolean {
  try {
    return gates.every((gate) => gate.pass(request, reply));
  } catch (thrown) {
    if (!(thrown instanceof Problem)) throw thrown;
    writeProblem(reply, thrown);
    return false;
  }
}
