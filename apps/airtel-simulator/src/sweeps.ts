import { type Clock } from '#domain/kernel';
import { minorFromShillings } from '#shared/simulator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Memory } from './memory.js';
import { nairobiTime } from './nairobi-time.js';
import { jsonOf } from './requests.js';

/** Settlements: the organisation moves collected money to its bank. */
export class Sweeps {
  constructor(
    private readonly clock: Clock,
    private readonly memory: Memory,
  ) {}

  /** Moves the amount, which the wallet of collections must have. */
  readonly sweep = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { amount } = jsonOf(request);
    const amountMinor = typeof amount === 'string' ? minorFromShillings(amount) : undefined;
    if (amountMinor === undefined || amountMinor < 1n || amountMinor > this.memory.collectedMinor)
      return reply.code(400).send({ error: 'the wallet of collections has no such amount' });
    const { moneyId, atMs } = await this.memory.withdrawals.sweep(amountMinor, this.clock.nowMs());
    return reply.send({ airtel_money_id: moneyId, date: nairobiTime(atMs) });
  };
}
