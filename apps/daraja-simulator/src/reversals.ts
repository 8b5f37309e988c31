import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, parseMinor } from '#domain/kernel';
import { breakOff, type Callbacks } from '#shared/simulator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { invalidField, refuseWith } from './faults.js';
import { readReversal } from './initiator-fields.js';
import type { Memory } from './memory.js';
import { acceptance } from './result.js';
import {
  type AcceptedReversal,
  type ReversalResultCode,
  reversalScenarioOf,
  type ReversalState,
} from './reversal.js';
import { reversalBody } from './reversal-result.js';
import type { Settings } from './settings.js';

/** Reversals of payments, with a push or without one. Their results are callbacks. */
export class Reversals {
  private stopped = false;

  constructor(
    private readonly settings: Settings,
    private readonly clock: Clock,
    private readonly memory: Memory,
    private readonly callbacks: Callbacks,
  ) {}

  /** Accepts a request. Like Daraja, it looks at the payment only later, so that an unknown receipt is a result. */
  readonly reverse = async (
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const read = readReversal(request.body, this.settings);
    if (!read.ok) return refuseWith(reply, read.refusal);
    const { paid, withdrawals } = this.memory;
    const payment = paid.get(read.value.paidReceipt);
    const scenario = reversalScenarioOf(payment?.phone);
    if (scenario.answer === 'invalid') return refuseWith(reply, invalidField('TransactionID'));
    const acceptedAtMs = this.clock.nowMs();
    const isDue = scenario.isDoneByHand && !withdrawals.reversed.has(payment?.receipt ?? '');
    if (payment && isDue && payment.amountMinor <= this.memory.workingMinor)
      await withdrawals.reverseByHand(payment, acceptedAtMs);
    const { delayMs } = this.settings;
    const state = await withdrawals.accept(read.value, payment, { acceptedAtMs, delayMs });
    void this.follow(state);
    if (scenario.answer === 'lost') return breakOff(reply);
    return reply.send(acceptance(state.reversal));
  };

  /** Resumes every reversal that an earlier run did not finish. */
  resume(): void {
    for (const state of this.memory.withdrawals.reversals.values())
      if (!state.told) void this.follow(state);
  }

  stop(): void {
    this.stopped = true;
  }

  private async follow(state: ReversalState): Promise<void> {
    const { reversal, scenario } = state;
    if (scenario.result === undefined) return;
    if (state.settled === undefined) {
      const { acceptedAtMs, delayMs } = reversal;
      const leftMs = Math.min(acceptedAtMs + delayMs - this.clock.nowMs(), delayMs);
      await sleep(Math.max(leftMs, 0), undefined, { ref: false });
      if (this.stopped) return;
      const result = this.refusalOf(reversal) ?? scenario.result;
      await this.memory.withdrawals.settle(state, { result, atMs: this.clock.nowMs() });
    }
    const { conversationId, resultUrl: url } = reversal;
    for (let count = 0; count < scenario.callbacks; count += 1) {
      const body = reversalBody(state, this.settings.shortcode, this.memory.workingMinor);
      const about = { conversationId };
      if ((await this.callbacks.send({ url, body, about })) === 'stopped') return;
    }
    this.memory.withdrawals.finish(state);
  }

  /** Returns the result of a reversal that the rail cannot carry out. Only the whole amount can go back. */
  private refusalOf({
    payment,
    paidReceipt,
    amountMinor,
  }: AcceptedReversal): ReversalResultCode | undefined {
    if (!payment) return 'R000002';
    if (this.memory.withdrawals.reversed.has(paidReceipt)) return 'R000001';
    if (amountMinor !== payment.amountMinor) return 2028;
    return parseMinor(amountMinor) > this.memory.workingMinor ? 1 : undefined;
  }
}
