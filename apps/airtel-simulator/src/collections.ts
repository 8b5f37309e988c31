import type { FastifyReply, FastifyRequest } from 'fastify';
import { messageOf, moneyIdIn } from './callback-body.js';
import { collectionScenarioOf } from './collection-scenarios.js';
import type { Courses } from './courses.js';
import { readCollection } from './fields.js';
import type { Intake, Product } from './intake.js';
import type { Memory } from './memory.js';
import type { Portal } from './portal.js';
import { type CollectionCode, collectionOutcome, esbOutcome, sendReport } from './reports.js';
import { jsonOf } from './requests.js';
import type { Transaction } from './transactions.js';

/** Payments by a prompt on the customer's phone, and enquiries about them. */
export class Collections {
  private readonly product: Product<CollectionCode>;

  constructor(
    private readonly memory: Memory,
    private readonly portal: Portal,
    private readonly intake: Intake,
    courses: Courses<CollectionCode>,
  ) {
    this.product = {
      transactions: memory.collections,
      courses,
      scenarioOf: collectionScenarioOf,
      duplicate: esbOutcome('ESB000041'),
      takenStatus: 'SUCCESS',
      sendStatus: (reply, transaction) => this.sendStatus(reply, transaction),
    };
  }

  readonly pay = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const read = readCollection(jsonOf(request), this.portal.ways);
    return read.ok
      ? this.intake.take(this.product, read.value, reply)
      : sendReport(reply, read.refusal, this.portal.ways);
  };

  readonly enquire = async (
    request: FastifyRequest<{ Params: { id: string } }>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const { collections } = this.memory;
    const transaction = collections.accepted.get(request.params.id);
    if (!transaction) return sendReport(reply, collectionOutcome('025'), this.portal.ways);
    const scripted = transaction.scenario.enquiries[transaction.enquiries];
    if (scripted === undefined) return this.sendStatus(reply, transaction);
    await collections.countEnquiry(transaction);
    return sendReport(reply, scripted, this.portal.ways);
  };

  private sendStatus(reply: FastifyReply, transaction: Transaction<CollectionCode>): FastifyReply {
    const { order, standing } = transaction;
    const { ways } = this.portal;
    const isRefunded = this.memory.withdrawals.refunds.has(order.moneyId);
    const outcome = collectionOutcome(standing.status === 'TS' ? ways.success_code : standing.code);
    return sendReport(reply, outcome, ways, {
      transaction: {
        ...moneyIdIn(standing.status, order.moneyId, ways),
        id: order.id,
        message: messageOf(transaction, standing.status),
        status: isRefunded ? ways.refunded_status : standing.status,
      },
    });
  }
}
