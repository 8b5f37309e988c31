import {
  type Appended,
  type EventRecord,
  EventStore,
  type ExpectedRevision,
  type NewEvent,
  type Position,
  type RecordedEvent,
  type Subscription,
  WrongExpectedRevision,
} from '#domain/event-sourcing';
import { instantFromMs } from '#domain/kernel';

/** A log in memory, for specs that count what was written. */
export class MemoryLog extends EventStore {
  readonly streams = new Map<string, RecordedEvent[]>();
  private last = 0n;

  override append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
  ): Promise<Appended> {
    const recorded = this.streams.get(stream) ?? [];
    const actual = recorded.at(-1)?.revision ?? 'no_stream';
    if (actual !== expected) return Promise.reject(new WrongExpectedRevision(stream, actual));
    for (const { id, event, metadata } of events) {
      this.last += 1n;
      const revision = BigInt(recorded.length);
      const recordedAt = instantFromMs(Date.now());
      recorded.push({ ...event, id, stream, revision, position: this.last, recordedAt, metadata });
    }
    this.streams.set(stream, recorded);
    return Promise.resolve({ revision: BigInt(recorded.length - 1), position: this.last });
  }

  override readStream<E extends EventRecord>(
    stream: string,
    from = 0n,
  ): Promise<RecordedEvent<E>[]> {
    const events = (this.streams.get(stream) ?? []) as RecordedEvent<E>[];
    return Promise.resolve(events.filter(({ revision }) => revision >= from));
  }

  override async readLast<E extends EventRecord>(
    stream: string,
  ): Promise<RecordedEvent<E> | undefined> {
    return (await this.readStream<E>(stream)).at(-1);
  }

  override head = (): Promise<Position> => Promise.resolve(this.last);
  override end = (): Promise<Position> => Promise.resolve(this.last);
  override subscribe = (): Promise<Subscription> => Promise.reject(new Error('nobody follows'));
  override readAll = (): AsyncIterable<RecordedEvent> => {
    throw new Error('nobody reads all');
  };
}
