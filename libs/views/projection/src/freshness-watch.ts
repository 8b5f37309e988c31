import { type Clock } from '#domain/kernel';
import { type EventStore, type Position } from '#domain/event-sourcing';
import { projectedPrefixes } from '#views/view-set';
import { type Views } from './sql-views.js';

/** Where the log ended at an instant; once the views are there, they were all of the log then. */
interface Sample {
  readonly head: Position;
  /** By the clock that judges freshness. */
  readonly at: Date;
  /** By this process's own, for its metrics. */
  readonly sinceMs: number;
}

/**
 * How fresh the views are. Under steady traffic the checkpoint is never at the head of this very moment, so a
 * head that was looked up is kept until the checkpoint reaches it, and the views are as fresh as that look.
 */
export class FreshnessWatch {
  private awaited: Sample | undefined;

  constructor(
    private readonly store: EventStore,
    private readonly views: Views,
    private readonly clock: Clock,
  ) {}

  /** Looks where the log ends, unless an earlier look is still to be reached. */
  async look(checkpoint: Position): Promise<void> {
    if (!this.awaited) {
      const [at, sinceMs] = [await this.views.now(), this.clock.nowMs()];
      this.awaited = { head: await this.store.head(projectedPrefixes), at, sinceMs };
    }
    await this.reached(checkpoint);
  }

  /** To be told after each batch. */
  async reached(checkpoint: Position): Promise<void> {
    const { awaited } = this;
    if (!awaited || checkpoint < awaited.head) return;
    this.awaited = undefined;
    await this.views.noteFresh(awaited.head, awaited.at);
  }

  /** For how long the views have lacked something that the log held; 0 where nothing is known to be lacking. */
  lagMs(): number {
    return this.awaited ? Math.max(0, this.clock.nowMs() - this.awaited.sinceMs) : 0;
  }
}
