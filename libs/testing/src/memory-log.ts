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
import { Clock, instantFromMs } from '#domain/kernel';

/** A log in memory that keeps the store's promise about expected revisions, and counts its calls. */
export class MemoryLog extends EventStore {
  /** All events, in log order. */
  readonly events: RecordedEvent[] = [];
  readonly streams = new Map<string, RecordedEvent[]>();
  /** The number of reads of streams. */
  reads = 0;

  override append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
  ): Promise<Appended> {
    const recorded = this.streams.get(stream) ?? [];
    const actual = recorded.at(-1)?.revision ?? 'no_stream';
    if (actual !== expected) return Promise.reject(new WrongExpectedRevision(stream, actual));
    this.streams.set(stream, recorded);
    for (const { id, event, metadata } of events) {
      const [revision, position] = [BigInt(recorded.length), BigInt(this.events.length + 1)];
      const recordedAt = instantFromMs(Date.now());
      const each = { ...event, id, stream, revision, position, recordedAt, metadata };
      recorded.push(each);
      this.events.push(each);
    }
    const [revision, position] = [BigInt(recorded.length - 1), BigInt(this.events.length)];
    return Promise.resolve({ revision, position });
  }

  override readStream<E extends EventRecord>(
    stream: string,
    from = 0n,
    limit = Infinity,
  ): Promise<RecordedEvent<E>[]> {
    this.reads += 1;
    const events = (this.streams.get(stream) ?? []) as RecordedEvent<E>[];
    return Promise.resolve(events.slice(Number(from), Number(from) + limit));
  }

  override readLast<E extends EventRecord>(stream: string): Promise<RecordedEvent<E> | undefined> {
    this.reads += 1;
    return Promise.resolve(this.streams.get(stream)?.at(-1) as RecordedEvent<E> | undefined);
  }

  override head = (): Promise<Position> => Promise.resolve(BigInt(this.events.length));
  override end = (): Promise<Position> => this.head();
  override subscribe = (): Promise<Subscription> =>
    Promise.reject(new Error('this log has no subscriptions'));
  override readAll = (): AsyncIterable<RecordedEvent> => {
    throw new Error('this log cannot be read as a whole');
  };
}

/**
 * A test's hook at each call that leaves the process: it waits for its turn, or fails.
 * @param stream the stream that is appended to or read
 */
export type AtCall = (what: string, stream?: string) => Promise<void>;

/**
 * A process that is suspended once, after its append was accepted and before the answer arrives.
 * @param meanwhile the acts of others
 */
export function suspendedOnce(
  afterMs: number,
  meanwhile: () => Promise<unknown>,
): { readonly clock: Clock; readonly at: AtCall } {
  const startMs = 1_000_000;
  let ms = startMs;
  const clock = new (class extends Clock {
    override nowMs = () => ms;
  })();
  const at: AtCall = async (what) => {
    if (what !== 'append answered' || ms > startMs) return;
    ms += afterMs;
    await meanwhile();
  };
  return { clock, at };
}

/** A log as one process reaches it: `at` runs before each call, and before the answer of an append. */
export class ReachedLog extends EventStore {
  constructor(
    private readonly log: EventStore,
    private readonly at: AtCall,
  ) {
    super();
  }
  override async append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
  ): Promise<Appended> {
    await this.at('append sent', stream);
    const appended = await this.log.append(stream, expected, events);
    await this.at('append answered', stream);
    return appended;
  }
  override async readStream<E extends EventRecord>(
    stream: string,
    from?: bigint,
    limit?: number,
  ): Promise<RecordedEvent<E>[]> {
    await this.at('read', stream);
    return this.log.readStream<E>(stream, from, limit);
  }
  override async readLast<E extends EventRecord>(
    stream: string,
  ): Promise<RecordedEvent<E> | undefined> {
    await this.at('read last', stream);
    return this.log.readLast<E>(stream);
  }
  override async head(prefixes: readonly string[]): Promise<Position> {
    await this.at('head');
    return this.log.head(prefixes);
  }
  override async end(signal?: AbortSignal): Promise<Position> {
    await this.at('end');
    return this.log.end(signal);
  }
  override async subscribe(
    after: Position | 'start',
    prefixes: readonly string[],
  ): Promise<Subscription> {
    await this.at('subscribe');
    return this.log.subscribe(after, prefixes);
  }
  override async *readAll(
    after: Position | 'start',
    prefixes: readonly string[],
  ): AsyncGenerator<RecordedEvent, void, void> {
    await this.at('read all');
    yield* this.log.readAll(after, prefixes);
  }
}
