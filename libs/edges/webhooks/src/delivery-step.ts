import { Timer } from '#domain/kernel';
import { Injectable, Logger } from '@nestjs/common';
import { Deliveries } from './deliveries.js';
import {
  DeliveryQueue,
  type DeliveryTarget,
  type LeasedDelivery,
  type ReadyTarget,
  targetName,
  type TargetShare,
} from '#records/webhooks';
import { TargetBounds } from './target-bounds.js';
import { WebhookOptions } from './webhook-options.js';

/** Targets of one step; the next step continues after them. */
const maxTargets = 200;
/** Retries become due without a notification, and a notification may be lost. */
const idleMs = 1000;

/**
 * Sends due webhooks. Each step goes through some of the targets and leases a share of each target's deliveries. It
 * does not wait for their attempts, so a target that hangs does not delay the others (WEB-13). Several workers may run
 * it.
 */
@Injectable()
export class DeliveryStep {
  private readonly log = new Logger('webhooks');
  private readonly bounds: TargetBounds;
  private notified = new AbortController();
  private after: DeliveryTarget | undefined;
  /** Targets with more due deliveries than their share. When one of their attempts ends, another can be leased. */
  private limited = new Set<string>();

  constructor(
    private readonly queue: DeliveryQueue,
    private readonly deliveries: Deliveries,
    private readonly options: WebhookOptions,
    private readonly timer: Timer,
  ) {
    this.bounds = new TargetBounds(options);
  }

  /** Signals that a delivery may have become due. */
  wake(): void {
    this.notified.abort();
  }

  /**
   * Runs one step. After the last target it waits for a notification or the idle time.
   * @throws DependencyUnavailable
   */
  async step(): Promise<'busy'> {
    if (!this.after) this.beginRound();
    const { targets, next } = await this.queue.ready(this.after, maxTargets);
    await this.take(targets);
    this.after = next;
    if (!next) await this.timer.sleep(idleMs, this.notified.signal);
    return 'busy';
  }

  /** Waits until the attempts in flight are recorded, for this long at most. */
  async settle(withinMs: number): Promise<void> {
    const endAt = performance.now() + withinMs;
    while (this.bounds.total > 0 && performance.now() < endAt) await this.timer.sleep(10);
  }

  private beginRound(): void {
    this.limited = new Set();
    if (this.notified.signal.aborted) this.notified = new AbortController();
  }

  private async take(targets: readonly ReadyTarget[]): Promise<void> {
    const shares = this.bounds.shares(targets);
    // Each target may have more than its share, until the lease shows that it had less.
    for (const target of targets) this.limited.add(targetName(target));
    if (shares.length === 0) return;
    const leased = await this.queue.lease(shares, this.options.leaseMs);
    this.noteEmptied(shares, leased);
    for (const delivery of leased) {
      this.bounds.begin(delivery);
      void this.deliver(delivery);
    }
  }

  private noteEmptied(shares: readonly TargetShare[], leased: readonly LeasedDelivery[]): void {
    const got = new Map<string, number>();
    for (const name of leased.map(targetName)) got.set(name, (got.get(name) ?? 0) + 1);
    for (const { max, ...target } of shares) {
      const name = targetName(target);
      if ((got.get(name) ?? 0) < max) this.limited.delete(name);
    }
  }

  private async deliver(delivery: LeasedDelivery): Promise<void> {
    let wasTaken: boolean | undefined;
    try {
      wasTaken = await this.deliveries.deliver(delivery);
    } catch (error) {
      const { webhookId, kind } = delivery;
      this.log.warn({ msg: 'an attempt is not written down', webhookId, kind, err: error });
    }
    // Under load, other targets wait for the slot that this one has freed.
    const isBusy = 2 * this.bounds.total >= this.options.maxInFlight;
    this.bounds.end(delivery, wasTaken);
    if (isBusy || this.limited.has(targetName(delivery))) this.wake();
  }
}
