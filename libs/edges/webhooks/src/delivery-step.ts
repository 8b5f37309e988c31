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
} from './delivery-queue.js';
import { TargetBounds } from './target-bounds.js';
import { WebhookOptions } from './webhook-options.js';

/** Targets that one look passes; the next one goes on from there. */
const maxTargets = 200;
/** Retries are due without a notification, and one may be lost. */
const idleMs = 1000;

/**
 * Brings owed webhooks to where they go. Each look passes a part of the targets, takes for each what it may have and
 * does not wait for what it took, so that one that hangs keeps nobody (WEB-13). Several workers may do it.
 */
@Injectable()
export class DeliveryStep {
  private readonly log = new Logger('webhooks');
  private readonly bounds: TargetBounds;
  private news = new AbortController();
  private after: DeliveryTarget | undefined;
  /** Targets that had more than they may have at once: when an attempt of theirs ends, there is more to take. */
  private limited = new Set<string>();

  constructor(
    private readonly queue: DeliveryQueue,
    private readonly deliveries: Deliveries,
    private readonly options: WebhookOptions,
    private readonly timer: Timer,
  ) {
    this.bounds = new TargetBounds(options);
  }

  /** Something may be due that was not. */
  wake(): void {
    this.news.abort();
  }

  /** One look. After the last target it waits until something may have changed. @throws DependencyUnavailable */
  async step(): Promise<'busy'> {
    if (!this.after) this.beginRound();
    const { targets, next } = await this.queue.ready(this.after, maxTargets);
    await this.take(targets);
    this.after = next;
    if (!next) await this.timer.sleep(idleMs, this.news.signal);
    return 'busy';
  }

  /** Waits until what is in flight is written down, this long at most. */
  async settle(withinMs: number): Promise<void> {
    const endAt = performance.now() + withinMs;
    while (this.bounds.total > 0 && performance.now() < endAt) await this.timer.sleep(10);
  }

  private beginRound(): void {
    this.limited = new Set();
    if (this.news.signal.aborted) this.news = new AbortController();
  }

  private async take(targets: readonly ReadyTarget[]): Promise<void> {
    const shares = this.bounds.shares(targets);
    // Of each there may be more than its share, until the lease shows that there was less.
    for (const target of targets) this.limited.add(targetName(target));
    if (shares.length === 0) return;
    const leased = await this.queue.lease(shares, this.options.leaseMs);
    this.noteEmptied(shares, leased);
    for (const delivery of leased) {
      this.bounds.begin(delivery);
      void this.bring(delivery);
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

  private async bring(delivery: LeasedDelivery): Promise<void> {
    let wasTaken: boolean | undefined;
    try {
      wasTaken = await this.deliveries.bring(delivery);
    } catch (error) {
      const { webhookId, kind } = delivery;
      this.log.warn({ msg: 'an attempt is not written down', webhookId, kind, err: error });
    }
    // Where much is in flight, what one target has left is what others wait for.
    const isBusy = 2 * this.bounds.total >= this.options.maxInFlight;
    this.bounds.end(delivery, wasTaken);
    if (isBusy || this.limited.has(targetName(delivery))) this.wake();
  }
}
