import { Injectable } from '@nestjs/common';
import { type RailPayment } from '#domain/rails';
import { EventStore, type Position } from '#domain/event-sourcing';
import { DependencyUnavailable, Timer } from '#domain/kernel';
import { Database } from '#infra/postgres';
import {
  findStreamsByRailReference,
  knownStreamsByAccountReference,
  knownStreamsByRailReference,
} from '#views/transactions';
import { projectedPrefixes, readCheckpoint } from '#views/view-set';

/**
 * The collections that the read model knows under a rail reference, and the position of the log that it has reached.
 */
export abstract class ReferenceView {
  /** @throws DependencyUnavailable */
  abstract position(): Promise<Position>;

  /** @throws DependencyUnavailable */
  abstract streamsWith(payment: RailPayment): Promise<readonly string[]>;

  /** Returns the streams that the view knows already, even those that are held back. @throws DependencyUnavailable */
  abstract knownStreamsWith(payment: RailPayment): Promise<readonly string[]>;

  /**
   * Returns the streams that the view knows by our own reference, which `railReference` names.
   * @throws DependencyUnavailable
   */
  abstract knownStreamsNamed(payment: RailPayment): Promise<readonly string[]>;
}

/** Reads the transactions' view. */
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

  override knownStreamsNamed({
    channel,
    mode,
    railReference,
  }: RailPayment): Promise<readonly string[]> {
    return knownStreamsByAccountReference(this.database, {
      channel,
      mode,
      reference: railReference,
    });
  }
}

const catchUpDeadlineMs = 5000;
const pollMs = 50;

/**
 * Finds the collections that have a rail reference as their own. It waits until the view has reached the end that the
 * log had at the time of the question: an id that another collection has just received must not be missed.
 */
@Injectable()
export class RailReferences {
  constructor(
    private readonly store: EventStore,
    private readonly view: ReferenceView,
    private readonly timer: Timer,
  ) {}

  /** @throws DependencyUnavailable if the log or the view does not answer, or the view stays behind */
  async streamsWith(payment: RailPayment): Promise<readonly string[]> {
    const head = await this.store.head(projectedPrefixes);
    // Counted by its own pauses: a clock that is set meanwhile makes the wait neither longer nor shorter.
    for (let waitedMs = 0; (await this.view.position()) < head; waitedMs += pollMs) {
      if (waitedMs >= catchUpDeadlineMs)
        throw new DependencyUnavailable('read model', 'it is behind the log');
      await this.timer.sleep(pollMs);
    }
    return this.view.streamsWith(payment);
  }

  /**
   * Returns the streams that the view knows already, without waiting.
   * @throws DependencyUnavailable if it does not answer
   */
  knownStreamsWith(payment: RailPayment): Promise<readonly string[]> {
    return this.view.knownStreamsWith(payment);
  }
}
