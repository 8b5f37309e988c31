import { Injectable } from '@nestjs/common';
import { type RailPayment } from '#domain/collections';
import { EventStore } from '#domain/event-sourcing';
import { Clock, DependencyUnavailable, Timer } from '#domain/kernel';
import { projectedPrefixes } from '#views/view-set';
import { ReferenceView } from './reference-view.js';

const catchUpDeadlineMs = 5000;
const pollMs = 50;

/**
 * Which collections bear a rail reference as their own. The view is asked only once it has reached the end
 * that the log had at the question: an id that another collection was just given must not be missed.
 */
@Injectable()
export class RailReferences {
  constructor(
    private readonly store: EventStore,
    private readonly view: ReferenceView,
    private readonly clock: Clock,
    private readonly timer: Timer,
  ) {}

  /** @throws DependencyUnavailable where the log or the view does not answer, or the view stays behind */
  async streamsWith(payment: RailPayment): Promise<readonly string[]> {
    const head = await this.store.head(projectedPrefixes);
    const giveUpAtMs = this.clock.nowMs() + catchUpDeadlineMs;
    while ((await this.view.position()) < head) {
      if (this.clock.nowMs() > giveUpAtMs)
        throw new DependencyUnavailable('read model', 'it is behind the log');
      await this.timer.sleep(pollMs);
    }
    return this.view.streamsWith(payment);
  }
}
