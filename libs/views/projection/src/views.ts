import { type Position, type RecordedEvent, type UnreadableEvent } from '#domain/event-sourcing';
import { type Checkpoint } from '#views/view-set';

/** Events in log order, from the checkpoint that they follow to the one that they lead to. */
export interface Batch {
  readonly events: readonly RecordedEvent[];
  /** Those between them that nobody can read. */
  readonly unreadable?: readonly UnreadableEvent[];
  readonly from: Checkpoint;
  readonly to: Checkpoint;
  /** Of the lease under which the batch was read. */
  readonly fence: bigint;
}

/** The view set as its projector writes it. */
export abstract class Views {
  /** @throws DependencyUnavailable */
  abstract checkpoint(): Promise<Checkpoint>;

  /**
   * Applies a batch and moves the checkpoint, both or neither, once: only while the checkpoint stands at `from`
   * and the lease bears the fence. DependencyUnavailable leaves open whether it was applied.
   * @throws CheckpointMoved, UnprojectableEvent, DependencyUnavailable
   */
  abstract commit(batch: Batch): Promise<void>;

  /** The present, by the one clock that judges how fresh the views are: whatever a process's own clock says. */
  abstract now(): Promise<Date>;

  /** Notes that the log ended at this position at this instant, and that the views have reached it. */
  abstract noteFresh(head: Position, at: Date): Promise<void>;
}

/** Who leads, as the projector sees it: the records' `Lease`, or a simulation's. */
export interface Leadership {
  /** The fence, where this process holds the lease as far as it knows. */
  readonly fence: bigint | undefined;
  /** Takes the lease where it is free, expired, or this process's already. */
  tryAcquire(): Promise<bigint | undefined>;
  /** @returns false where another has taken it meanwhile */
  renew(): Promise<boolean>;
  release(): Promise<void>;
}
