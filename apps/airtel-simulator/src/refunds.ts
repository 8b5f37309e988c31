import { type Clock, parseMinor } from '#domain/kernel';
import { breakOff } from '#shared/simulator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Memory } from './memory.js';
import type { Portal } from './portal.js';
import { refundScenarioOf } from './refund-scenarios.js';
import { collectionOutcome, type Report, sendReport } from './reports.js';
import { jsonOf, memberOf } from './requests.js';

/** Refunds of payments, always whole. The answer comes when the money has moved. */
export class Refunds {
  constructor(
    private readonly clock: Clock,
    private readonly memory: Memory,
    private readonly portal: Portal,
  ) {}

  readonly refund = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { airtel_money_id: paidMoneyId } = memberOf(jsonOf(request), 'transaction');
    if (typeof paidMoneyId !== 'string' || paidMoneyId === '')
      return this.refuse(reply, { router: 'ROUTER003' });
    const { collections, withdrawals } = this.memory;
    const payment = collections.paid.get(paidMoneyId)?.order;
    if (!payment) return this.refuse(reply, collectionOutcome('025'));
    const isCovered = parseMinor(payment.amountMinor) <= this.memory.collectedMinor;
    const { isDone, answer, isDoneByHand, isOnce } = refundScenarioOf(payment.msisdn);
    const nowMs = this.clock.nowMs();
    if (isDoneByHand && isCovered && !withdrawals.refunds.has(paidMoneyId))
      await withdrawals.refund(payment, nowMs);
    if (withdrawals.refunds.has(paidMoneyId))
      return this.refuse(reply, {
        ...collectionOutcome('008'),
        message: 'The transaction was refunded already.',
      });
    const isRefused = !isDone && !(isOnce && withdrawals.refused.has(paidMoneyId));
    if (isRefused && typeof answer === 'object') {
      await withdrawals.refuse(paidMoneyId);
      return this.refuse(reply, answer);
    }
    if (!isCovered) return this.refuse(reply, collectionOutcome('007'));
    const { moneyId } = await withdrawals.refund(payment, nowMs);
    if (answer === 'lost') return breakOff(reply);
    if (answer !== 'done' && !isOnce) return this.refuse(reply, answer);
    return sendReport(reply, collectionOutcome('001'), this.portal.ways, {
      transaction: { airtel_money_id: moneyId, status: 'SUCCESS' },
    });
  };

  private refuse(reply: FastifyReply, report: Report): FastifyReply {
    return sendReport(reply, report, this.portal.ways);
  }
}
