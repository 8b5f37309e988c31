import { type Clock } from '#domain/kernel';
import { breakOff, type Callbacks } from '#shared/simulator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { faults, invalidField, refuseWith } from './faults.js';
import { readPayout } from './initiator-fields.js';
import type { Memory } from './memory.js';
import { payoutScenarioOf, type PayoutState } from './payout.js';
import { resultBody } from './payout-results.js';
import { acceptance } from './result.js';
import type { Settings } from './settings.js';

/** B2C payments. Their results are callbacks. */
export class B2c {
  private stopped = false;

  constructor(
    private readonly settings: Settings,
    private readonly clock: Clock,
    private readonly memory: Memory,
    private readonly callbacks: Callbacks,
  ) {}

  readonly pay = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const read = readPayout(request.body, this.settings);
    if (!read.ok) return refuseWith(reply, read.refusal);
    if (payoutScenarioOf(read.value.phone).answer === 'invalid')
      return refuseWith(reply, invalidField('PartyB'));
    const { delayMs } = this.settings;
    const times = { acceptedAtMs: this.clock.nowMs(), delayMs };
    const state = await this.memory.payouts.accept(read.value, times);
    if (state === undefined) return refuseWith(reply, faults.duplicateConversation);
    void this.follow(state);
    if (state.scenario.answer === 'lost') return breakOff(reply);
    return reply.send(acceptance(state.payout));
  };

  /** Resumes every payment that an earlier run did not finish. */
  resume(): void {
    for (const state of this.memory.payouts.accepted.values())
      if (!state.told) void this.follow(state);
      else void this.payLater(state);
  }

  stop(): void {
    this.stopped = true;
  }

  private async follow(state: PayoutState): Promise<void> {
    const { payout, scenario } = state;
    if (scenario.result === undefined) return;
    if (state.settled === undefined) {
      const leftMs = payout.acceptedAtMs + payout.delayMs - this.clock.nowMs();
      await this.wait(Math.min(leftMs, payout.delayMs));
      if (this.stopped) return;
      const isCovered = BigInt(payout.amountMinor) <= this.memory.utilityMinor;
      await this.memory.payouts.settle(state, {
        result: scenario.result === 0 && !isCovered ? 1 : scenario.result,
        atMs: this.clock.nowMs(),
      });
    }
    const { originatorConversationId } = payout;
    for (let count = 0; count < scenario.callbacks; count += 1) {
      const body = resultBody(state, this.memory.utilityMinor);
      const about = { originatorConversationId };
      const delivery = { url: payout.resultUrl, body, about };
      if ((await this.callbacks.send(delivery)) === 'stopped') return;
    }
    this.memory.payouts.finish(state);
    await this.payLater(state);
  }

  /** Pays although the rail reported a failure, and reports nothing about it. */
  private async payLater(state: PayoutState): Promise<void> {
    if (!state.scenario.paysLater || state.settled?.result === 0) return;
    await this.wait(this.settings.delayMs);
    if (this.stopped) return;
    await this.memory.payouts.settle(state, { result: 0, atMs: this.clock.nowMs() });
  }

  private async wait(ms: number): Promise<void> {
    if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms).unref());
  }
}
