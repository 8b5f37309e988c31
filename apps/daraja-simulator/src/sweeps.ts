import { type Clock } from '#domain/kernel';
import { minorFromShillings } from '#shared/simulator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { compactTime } from './east-africa-time.js';
import { invalidField, refuseWith } from './faults.js';
import type { Memory } from './memory.js';

/** Settlement sweeps: the organisation moves collected money to its bank. */
export class Sweeps {
  constructor(
    private readonly clock: Clock,
    private readonly memory: Memory,
  ) {}

  /** Moves the amount, which the working account must have. */
  readonly sweep = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { amount } = (request.body ?? {}) as Readonly<Record<string, unknown>>;
    const amountMinor = typeof amount === 'string' ? minorFromShillings(amount) : undefined;
    if (amountMinor === undefined || amountMinor < 1n || amountMinor > this.memory.workingMinor)
      return refuseWith(reply, invalidField('amount'));
    const { receipt, atMs } = await this.memory.withdrawals.sweep(amountMinor, this.clock.nowMs());
    return reply.send({ TransID: receipt, TransTime: compactTime(atMs) });
  };
}
