import { type Clock } from '#domain/kernel';
import { type EventStore, type Position } from '#domain/event-sourcing';
import { projectedPrefixes } from '#views/view-set';
import { type Views } from './sql-views.js';

/** The end of the log at an instant. Once the views reach it, they contain the whole log of that instant. */
interface Sample {
  readonly head: Position;
  /** By the clock that judges freshness. */
  readonly at: Date;
  /** By this process's own clock, for its metrics. */
  readonly sinceMs: number;
}

/**
 * Measures how fresh the views are. Under steady traffic the checkpoint never reaches the current head. So the watch
 * keeps a head until the checkpoint reaches it; the views are then as fresh as that sample.
 */
export class FreshnessWatch {
  private awaited: Sample | undefined;

  constructor(
    private readonly store: EventStore,
    private readonly views: Views,
    private readonly clock: Clock,
  ) {}

  /** Reads the end of the log, unless the views have not reached an earlier sample yet. */
  async look(checkpoint: Position): Promise<void> {
    if (!this.awaited) {
      const [at, sinceMs] = [await this.views.now(), this.clock.nowMs()];
      this.awaited = { head: await this.store.head(projectedPrefixes), at, sinceMs };
    }
    await this.reached(checkpoint);
  }

  /** Call this after each batch. */
  async reached(checkpoint: Position): Promise<void> {
    const { awaited } = this;
    if (!awaited || checkpoint < awaited.head) return;
    this.awaited = undefined;
    await this.views.noteFresh(awaited.head, awaited.at);
  }

  /** True if the views have not reached the newest sample of the log's end. */
  get isBehind(): boolean {
    return this.awaited !== undefined;
  }

  /** The time for which the views have lacked an event of the log; 0 if they are not known to lack one. */
  lagMs(): number {
    return this.awaited ? Math.max(0, this.clock.nowMs() - this.awaited.sinceMs) : 0;
  }
}
