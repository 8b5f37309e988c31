import {
  type PushOutcome,
  type PushRequest,
  type QueryOutcome,
  Rail,
  type RailLimits,
  type RailPayment,
} from '#domain/collections';
import {
  type Appended,
  type EventRecord,
  EventStore,
  EventStoreUnavailable,
  type ExpectedRevision,
  type NewEvent,
  type Position,
  type RecordedEvent,
  type Subscription,
} from '#domain/event-sourcing';
import { Clock, DependencyUnavailable } from '#domain/kernel';
import { Database, type Statement, type TransactionOptions, type Queryable } from '#infra/postgres';

/** A rail that answers as the test says. */
export class ScriptedRail extends Rail {
  /** What becomes of the push of a stream. */
  readonly pushed = new Map<string, PushOutcome>();
  /** The answers to come; then "unresolved". */
  queried: QueryOutcome[] = [];
  readonly asked: string[] = [];
  /** The streams that were pushed for. */
  readonly pushes: string[] = [];

  limits(): RailLimits {
    return { maxMinor: 25_000_000n, stepMinor: 1n, currencies: ['KES'] };
  }
  push({ stream }: PushRequest): Promise<PushOutcome> {
    this.pushes.push(stream);
    const lost = { kind: 'unknown', late: Promise.resolve(undefined) } as const;
    return Promise.resolve(this.pushed.get(stream) ?? lost);
  }
  query({ railReference }: RailPayment): Promise<QueryOutcome> {
    this.asked.push(railReference);
    return Promise.resolve(this.queried.shift() ?? { kind: 'unresolved' });
  }
}

/** The time of this machine, moved on by the test. */
export class ShiftedClock extends Clock {
  shiftMs = 0;
  nowMs(): number {
    return Date.now() + this.shiftMs;
  }
}

/** The real store, which can be away. */
export class FaultyStore extends EventStore {
  isAway = false;
  /** Appends are carried out, and their answers are lost. */
  losesAnswers = false;
  /** Streams of which nothing is heard, though the store is there. */
  readonly awayFor = new Set<string>();
  constructor(private readonly store: EventStore) {
    super();
  }
  async append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
  ): Promise<Appended> {
    this.check(stream);
    const appended = await this.store.append(stream, expected, events);
    if (this.losesAnswers) throw new EventStoreUnavailable('the test lost the answer');
    return appended;
  }
  async readStream<E extends EventRecord>(
    stream: string,
    from?: bigint,
  ): Promise<RecordedEvent<E>[]> {
    this.check(stream);
    return this.store.readStream<E>(stream, from);
  }
  async readLast<E extends EventRecord>(stream: string): Promise<RecordedEvent<E> | undefined> {
    this.check();
    return this.store.readLast<E>(stream);
  }
  async head(prefixes: readonly string[]): Promise<Position> {
    this.check();
    return this.store.head(prefixes);
  }
  async end(signal?: AbortSignal): Promise<Position> {
    this.check();
    return this.store.end(signal);
  }
  subscribe(after: Position | 'start', prefixes: readonly string[]): Promise<Subscription> {
    this.check();
    return this.store.subscribe(after, prefixes);
  }
  readAll(after: Position | 'start', prefixes: readonly string[]): AsyncIterable<RecordedEvent> {
    this.check();
    return this.store.readAll(after, prefixes);
  }
  private check(stream = ''): void {
    if (this.isAway || this.awayFor.has(stream))
      throw new EventStoreUnavailable('the test took it away');
  }
}

/** The real database, which can be away. */
export class FaultyDatabase extends Database {
  isAway = false;
  override async query<Row extends object = Record<string, unknown>>(
    statement: Statement,
    values: readonly unknown[] = [],
  ): Promise<Row[]> {
    this.check();
    return super.query<Row>(statement, values);
  }
  override async transaction<T>(
    work: (transaction: Queryable) => Promise<T>,
    options: TransactionOptions = {},
  ): Promise<T> {
    this.check();
    return super.transaction(work, options);
  }
  private check(): void {
    if (this.isAway) throw new DependencyUnavailable('postgres', 'the test took it away');
  }
}
