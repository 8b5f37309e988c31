import { Injectable } from '@nestjs/common';
import { type RailPayment } from '#domain/collections';
import { EventStore, type Position } from '#domain/event-sourcing';
import { Clock, DependencyUnavailable, Timer } from '#domain/kernel';
import { Database } from '#infra/postgres';
import { findStreamsByRailReference, knownStreamsByRailReference } from '#views/transactions';
import { projectedPrefixes, readCheckpoint } from '#views/view-set';

/** Which collections the read model knows under a rail reference, and as of which position of the log. */
export abstract class ReferenceView {
  /** @throws DependencyUnavailable */
  abstract position(): Promise<Position>;

  /** @throws DependencyUnavailable */
  abstract streamsWith(payment: RailPayment): Promise<readonly string[]>;

  /** Those that it knows, whatever is held back. @throws DependencyUnavailable where it does not answer */
  abstract knownStreamsWith(payment: RailPayment): Promise<readonly string[]>;
}

/** The transactions' view. */
@Injectable()
export class ProjectedReferenceView extends ReferenceView {
  constructor(private readonly database: Database) {
    super();
  }

  override async position(): Promise<Position> {
    return (await readCheckpoint(this.database)).position;
  }

  override streamsWith(payment: RailPayment): Promise<readonly string[]> {
    return findStreamsByRailReference(this.database, payment);
  }

  override knownStreamsWith(payment: RailPayment): Promise<readonly string[]> {
    return knownStreamsByRailReference(this.database, payment);
  }
}

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

  /** Those that the view knows already: nobody waits for it. @throws DependencyUnavailable where it does not answer */
  knownStreamsWith(payment: RailPayment): Promise<readonly string[]> {
    return this.view.knownStreamsWith(payment);
  }
}
