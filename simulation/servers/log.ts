import { type Instant, instantFromMs, msFromInstant } from '#domain/kernel';
import {
  type Appended,
  type ExpectedRevision,
  type NewEvent,
  type RecordedEvent,
  WrongExpectedRevision,
} from '#domain/event-sourcing';

/**
 * EventStoreDB's log as far as the service uses it (docs/adr/0001). If the ids of an append are already at the
 * revisions that it asks for, it is the same append, and is answered as the first time. Any other append that is not at
 * the head is refused. An id at the head's next revision is written again, because ids are not unique in a stream.
 */
export class MemoryLog {
  readonly events: RecordedEvent[] = [];
  readonly #streams = new Map<string, RecordedEvent[]>();
  readonly #watchers = new Set<() => void>();

  constructor(
    private readonly nowMs: () => number,
    private readonly onAppended: (events: readonly RecordedEvent[]) => void,
  ) {}

  get head(): bigint {
    return this.events.at(-1)?.position ?? 0n;
  }

  stream(name: string): readonly RecordedEvent[] {
    return this.#streams.get(name) ?? [];
  }

  streams(): Iterable<string> {
    return this.#streams.keys();
  }

  /** @throws WrongExpectedRevision */
  append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): Appended {
    const history = this.#streams.get(stream) ?? [];
    const from = expected === 'no_stream' ? 0 : Number(expected) + 1;
    if (from === history.length) return this.#write(stream, history, events);
    const there = history.slice(from, from + events.length);
    const isSame =
      there.length === events.length && there.every(({ id }, index) => id === events[index]?.id);
    const last = there.at(-1);
    if (isSame && last) return { revision: last.revision, position: last.position };
    throw new WrongExpectedRevision(
      stream,
      history.length === 0 ? 'no_stream' : BigInt(history.length - 1),
    );
  }

  /** Removes the events since then, as if this were a copy that had not received them yet. */
  forgetSince(ms: number): void {
    const first = this.events.findIndex(({ recordedAt }) => msFromInstant(recordedAt) >= ms);
    if (first < 0) return;
    for (const { stream, revision } of this.events.splice(first))
      this.#streams.set(stream, this.stream(stream).slice(0, Number(revision)));
  }

  /** Calls back after each append until the returned function is called. */
  watch(onAppended: () => void): () => void {
    this.#watchers.add(onAppended);
    return () => this.#watchers.delete(onAppended);
  }

  #write(stream: string, history: RecordedEvent[], events: readonly NewEvent[]): Appended {
    const recordedAt: Instant = instantFromMs(this.nowMs());
    const recorded = events.map(({ id, event, metadata }, index) => ({
      ...event,
      id,
      stream,
      metadata,
      recordedAt,
      revision: BigInt(history.length + index),
      position: BigInt(this.events.length + index + 1),
    }));
    const last = recorded.at(-1);
    if (!last) throw new TypeError('an append holds at least one event');
    this.#streams.set(stream, [...history, ...recorded]);
    this.events.push(...recorded);
    this.onAppended(recorded);
    for (const watcher of this.#watchers) watcher();
    return { revision: last.revision, position: last.position };
  }
}
