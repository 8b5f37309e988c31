import { type Clock } from '#domain/kernel';
import type { Callbacks, Delivery } from '#shared/simulator';
import type { C2b } from './c2b.js';
import { callbackBody } from './callback-body.js';
import type { Memory } from './memory.js';
import { dueAtMs, type Payment } from './payment.js';

/** The customers with a prompt on their phones. Runs each step of a payment when it is due. */
export class Customers {
  /** Payments with a step or a callback still to come. There is no limit, so that a load test meets none of ours. */
  private readonly following = new Map<string, Promise<void>>();
  private readonly stopping = Promise.withResolvers<undefined>();
  private stopped = false;

  constructor(
    private readonly clock: Clock,
    private readonly memory: Memory,
    private readonly callbacks: Callbacks,
    private readonly c2b: C2b,
  ) {}

  /** Resumes every payment that an earlier run did not finish. */
  resume(): void {
    for (const payment of this.memory.payments.unfinished()) void this.follow(payment);
  }

  /** @returns a promise that resolves when each step was reached and each callback tried, or the simulator stops */
  follow(payment: Payment): Promise<void> {
    const id = payment.push.checkoutRequestId;
    const already = this.following.get(id);
    if (already !== undefined) return already;
    const end = this.live(payment).finally(() => this.following.delete(id));
    this.following.set(id, end);
    return end;
  }

  /** Resolves when the payment has no further steps, or the simulator stops; at once if there are none. */
  async finished(payment: Payment): Promise<void> {
    await Promise.race([this.following.get(payment.push.checkoutRequestId), this.stopping.promise]);
  }

  stop(): void {
    this.stopped = true;
    this.stopping.resolve(undefined);
  }

  private async live(payment: Payment): Promise<void> {
    const { steps } = payment.scenario;
    for (let number = payment.finished; number < steps.length; number += 1) {
      await this.until(payment, dueAtMs(payment, number));
      if (this.stopped) return;
      if (payment.reached === number) this.memory.reachNextStep(payment);
      const isPaid = steps[number]?.result === 0;
      if (isPaid) await this.c2b.echo(payment, 'before');
      for (let count = 0; count < (steps[number]?.callbacks ?? 0); count += 1)
        if ((await this.callbacks.send(deliveryOf(payment, number))) === 'stopped') return;
      if (isPaid) await this.c2b.echo(payment, 'after');
      this.memory.finishStep(payment);
    }
  }

  /** If the clock was set back between two starts, no step waits longer than the scenario says. */
  private async until(payment: Payment, atMs: number): Promise<void> {
    const waitMs = Math.min(atMs - this.clock.nowMs(), atMs - payment.push.acceptedAtMs);
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}

function deliveryOf(payment: Payment, step: number): Delivery {
  const { checkoutRequestId, callbackUrl: url } = payment.push;
  return { url, body: callbackBody(payment, step), about: { checkoutRequestId } };
}
