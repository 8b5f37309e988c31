import { type Clock } from '#domain/kernel';
import { breakOff, HeldAnswers } from '#shared/simulator';
import type { FastifyReply } from 'fastify';
import type { Courses } from './courses.js';
import type { Memory } from './memory.js';
import type { Portal } from './portal.js';
import { type Report, sendReport } from './reports.js';
import type { Scenario } from './scenario.js';
import type { Settings } from './settings.js';
import type { Order, Transaction, Transactions } from './transactions.js';

/** The product that takes orders: payments or payouts. */
export interface Product<Code extends string> {
  readonly transactions: Transactions<Code>;
  readonly courses: Courses<Code>;
  readonly scenarioOf: (msisdn: string) => Scenario<Code>;
  /** The refusal of an id that was used before. */
  readonly duplicate: Report;
  /** The status in an answer that leaves the outcome open. */
  readonly takenStatus: 'SUCCESS' | 'TIP';
  /** Sends the transaction's status. */
  readonly sendStatus: (reply: FastifyReply, transaction: Transaction<Code>) => FastifyReply;
}

const tooMany: Report = { bare: 429, text: '<html><body>429 Too Many Requests</body></html>' };

/** Takes orders, and answers them as the number's scenario says. */
export class Intake {
  private readonly held = new HeldAnswers();

  constructor(
    private readonly settings: Pick<Settings, 'delayMs' | 'slowAnswerMs'>,
    private readonly clock: Clock,
    private readonly memory: Memory,
    private readonly portal: Portal,
  ) {}

  async take<Code extends string>(
    product: Product<Code>,
    order: Order,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const scenario = product.scenarioOf(order.msisdn);
    if (product.transactions.accepted.has(order.id)) return this.send(reply, product.duplicate);
    if (await this.isThrottled(order.msisdn, scenario.throttled)) return this.send(reply, tooMany);
    if (!scenario.isAccepted)
      return scenario.answer === 'lost' || scenario.report === 'status'
        ? breakOff(reply)
        : this.send(reply, scenario.report);
    const { delayMs, slowAnswerMs } = this.settings;
    const acceptedAtMs = this.clock.nowMs();
    const promptAtMs = acceptedAtMs + (scenario.answer === 'late' ? slowAnswerMs : 0);
    const times = { acceptedAtMs, promptAtMs, delayMs };
    const transaction = await product.transactions.accept(order, times);
    if (!transaction) return this.send(reply, product.duplicate);
    const isOnItsWay = await this.isDue(product.courses.follow(transaction), scenario);
    if (!isOnItsWay) return breakOff(reply);
    return scenario.report === 'status'
      ? product.sendStatus(reply, transaction)
      : this.send(reply, scenario.report, {
          transaction: { id: order.id, status: product.takenStatus },
        });
  }

  /** Ends the answers that are held back: their connections break. */
  stop(): void {
    this.held.stop();
  }

  /** @returns true once the answer is due; false if it is lost, or if the simulator stops first */
  private async isDue(
    firstStep: Promise<boolean>,
    { answer, report }: Scenario<string>,
  ): Promise<boolean> {
    switch (answer) {
      case 'lost':
        return false;
      case 'at_once':
        return true;
      case 'after_first_step':
        return firstStep;
      case 'late':
        if (!(await this.held.wait(this.settings.slowAnswerMs))) return false;
        return report === 'status' ? firstStep : true;
    }
  }

  private async isThrottled(msisdn: string, times: number): Promise<boolean> {
    if (times === 0) return false;
    const refused = this.memory.throttledOf(msisdn);
    await this.memory.setThrottled(msisdn, refused < times ? refused + 1 : 0);
    return refused < times;
  }

  private send(reply: FastifyReply, report: Report, data?: object): FastifyReply {
    const isTaken = 'isSuccess' in report && report.isSuccess;
    return sendReport(reply, report, this.portal.ways, isTaken ? data : undefined);
  }
}
