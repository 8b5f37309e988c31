import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock } from '#domain/kernel';
import type { Callbacks } from '#shared/simulator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { balanceBody } from './balance-result.js';
import { refuseWith } from './faults.js';
import { readBalanceQuestion, readStatusQuestion } from './initiator-fields.js';
import type { Memory } from './memory.js';
import { newRequestId } from './payment.js';
import { newConversationId } from './payout.js';
import { acceptance } from './result.js';
import type { Settings } from './settings.js';
import { statusBody, unknownBody } from './status-result.js';
import { transactionById, transactionByReceipt } from './transaction.js';

/** Queries whose answers are callbacks: the status of a transaction, and the balance of each account. */
export class Questions {
  private stopped = false;

  constructor(
    private readonly settings: Settings,
    private readonly clock: Clock,
    private readonly memory: Memory,
    private readonly callbacks: Callbacks,
  ) {}

  readonly status = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const read = readStatusQuestion(request.body, this.settings);
    if (!read.ok) return refuseWith(reply, read.refusal);
    const { receipt, conversationId, resultUrl } = read.value;
    void this.answerLater(resultUrl, () => this.statusOf(receipt, conversationId));
    return this.taken(reply);
  };

  readonly balance = async (
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const read = readBalanceQuestion(request.body, this.settings);
    if (!read.ok) return refuseWith(reply, read.refusal);
    const { resultUrl, shortCode } = read.value;
    const { shortcode, b2cShortcode } = this.settings;
    const of = { takes: shortCode === shortcode, pays: shortCode === b2cShortcode };
    void this.answerLater(resultUrl, () => balanceBody(this.memory, of, this.clock.nowMs()));
    return this.taken(reply);
  };

  stop(): void {
    this.stopped = true;
  }

  private statusOf(receipt: string | undefined, conversationId: string | undefined): string {
    const found =
      (conversationId && transactionById(conversationId, this.memory, this.settings)) ||
      (receipt && transactionByReceipt(receipt, this.memory, this.settings));
    const nowMs = this.clock.nowMs();
    if (found) return statusBody(found, nowMs);
    return unknownBody(receipt === undefined ? 'byId' : 'byReceipt', nowMs);
  }

  /** A restart loses the answer, as it may at Daraja. */
  private async answerLater(url: string, body: () => string): Promise<void> {
    await sleep(this.settings.delayMs, undefined, { ref: false });
    if (!this.stopped) await this.callbacks.send({ url, body: body(), about: {} });
  }

  private taken(reply: FastifyReply): FastifyReply {
    const conversationId = newConversationId(this.clock.nowMs());
    return reply.send(acceptance({ conversationId, originatorConversationId: newRequestId() }));
  }
}
