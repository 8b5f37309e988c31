import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { EventStore } from '#event-sourcing';
import { DependencyUnavailable, type Mode } from '#kernel';
import { Database } from '#postgres';
import { findStreamsByRailReference, projectedPrefixes, readCheckpoint } from '#read-models';

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
    private readonly database: Database,
  ) {}

  /** @throws DependencyUnavailable where the log or the view does not answer, or the view stays behind */
  async streamsWith(mode: Mode, railReference: string): Promise<readonly string[]> {
    const head = await this.store.head(projectedPrefixes);
    const giveUpAt = performance.now() + catchUpDeadlineMs;
    while ((await readCheckpoint(this.database)).position < head) {
      if (performance.now() > giveUpAt)
        throw new DependencyUnavailable('read model', 'it is behind the log');
      await sleep(pollMs);
    }
    return findStreamsByRailReference(this.database, mode, railReference);
  }
}
