import { randomUUID } from 'node:crypto';
import { type EventMetadata, type EventRecord, type RecordedEvent } from '#domain/event-sourcing';
import { type Instant, instantFromMs } from '#domain/kernel';

const metadata: EventMetadata = {
  v: 1,
  correlationId: 'spec',
  actor: { kind: 'system', id: 'spec' },
};

/** A log made by hand: gives events the positions, revisions and instants that a store would give them. */
export class HandMadeLog {
  readonly events: RecordedEvent[] = [];
  /** The cause that the next events name; undefined, the default, for none. */
  causationId: string | undefined;
  private readonly heads = new Map<string, bigint>();
  private position = 1000n;

  constructor(private nowMs: number = Date.UTC(2026, 10, 20, 9)) {}

  /** Lets time pass before the next event. */
  wait(ms: number): this {
    this.nowMs += ms;
    return this;
  }

  /** Leaves positions to other streams before the next event. */
  skip(positions: bigint): this {
    this.position += positions;
    return this;
  }

  append<E extends EventRecord>(stream: string, ...events: readonly E[]): RecordedEvent<E>[] {
    const recordedAt: Instant = instantFromMs(this.nowMs);
    const recorded = events.map((event) => {
      const revision = (this.heads.get(stream) ?? -1n) + 1n;
      this.heads.set(stream, revision);
      this.position += 137n;
      return {
        ...event,
        id: randomUUID(),
        stream,
        revision,
        position: this.position,
        recordedAt,
        metadata:
          this.causationId === undefined
            ? metadata
            : { ...metadata, causationId: this.causationId },
      };
    });
    this.events.push(...recorded);
    return recorded;
  }
}
