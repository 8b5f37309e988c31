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
  WrongExpectedRevision,
} from '#domain/event-sourcing';
import { type StoredLog, type StoredRecord } from '#domain/audit';
import { instantFromMs } from '#domain/kernel';
import { crashPoints, type Span, tracing } from '#infra/runtime';
import { AppendLane } from './append-lane.js';
import { appendingClient } from './appending-client.js';
import { EventCodec } from './codec.js';
import { CertificateWatch } from './certificate-watch.js';
import { collect } from './collect.js';
import { checkConnectionString, openClient } from './connection-string.js';
import { finalError, isFinal, unavailable } from './failure.js';
import { HeadFinder } from './head.js';
import { type AppendObservation, type EventStoreDbOptions } from './options.js';
import { Reader } from './reader.js';
import { impossibleAppend, type Probe, requireAll } from './rights.js';
import {
  openSubscription,
  type StoreSubscription,
  type SubscriptionRange,
} from './subscription.js';
import { type ProposedAppend } from './wire/batch-append-request.js';
import { encodeStreamPage, type StreamPage } from './wire/read-request.js';
import { type StoredEvent } from './wire/read-response.js';

const defaultDeadlineMs = 5_000;
/** Streams are a few events long; a page limits the size of one answer. */
const streamPage = 500;
/** A stream like any other of the service. Its existence says nothing about rights. */
const probedStream = 'platform-rights';

/** The EventStore port on EventStoreDB's wire protocol. Use one instance per process, and dispose of it at the end. */
export class EventStoreDb extends EventStore implements StoredLog {
  readonly #options: EventStoreDbOptions;
  readonly #deadlineMs: number;
  readonly #codec: EventCodec;
  readonly #lane: AppendLane;
  readonly #reader: Reader;
  readonly #head: HeadFinder;
  readonly #subscriptions = new Set<{ close(): Promise<void> }>();
  /** Resolves when the client has turned to the leader after the last subscription that failed. */
  #recovered: Promise<void> = Promise.resolve();

  /** Connects at the first call. @throws Error for a connection string that the client would misread */
  constructor(options: EventStoreDbOptions) {
    super();
    const { logger, onFatal, deadlineMs = defaultDeadlineMs } = options;
    const url = checkConnectionString(options.connectionString);
    const { connectionString, warnings, discovers } = url;
    const certificates = new CertificateWatch(url, logger);
    for (const warning of warnings) logger.warn({}, warning);
    const open = () =>
      openClient(connectionString, (message) => {
        logger.warn({}, message);
      });
    this.#options = options;
    this.#deadlineMs = deadlineMs;
    this.#codec = new EventCodec(options.eventTypes);
    const shared = { deadlineMs, discovers, logger };
    this.#lane = new AppendLane({ ...shared, open: appendingClient(open), onFatal });
    this.#reader = new Reader({
      ...shared,
      open,
      onTrouble: () => {
        certificates.look();
      },
    });
    this.#head = new HeadFinder(this.#reader);
    // Report a fault of the string now, not at the first request.
    this.#reader.lend().giveBack();
  }

  async append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
  ): Promise<Appended> {
    if (expected !== 'no_stream' && expected < 0n)
      throw new TypeError('an expected revision is 0 or more, or no_stream');
    if (events.length === 0) throw new TypeError('an append holds at least one event');
    const request: ProposedAppend = {
      stream,
      expectedRevision: expected,
      events: events.map((event) => this.#codec.encode(event)),
    };
    const observed = {
      startedAt: performance.now(),
      span: tracing?.continue('append', 'client', events[0]?.metadata.traceparent),
      events,
    };
    try {
      crashPoints?.pass('eventstore', `append ${typesOf(events)}`, 'before');
      const appended = await this.#lane.append(request);
      crashPoints?.pass('eventstore', `append ${typesOf(events)}`, 'after');
      this.#observe('appended', observed);
      return appended;
    } catch (error) {
      this.#observe(outcomeOf(error), observed);
      throw error;
    }
  }

  /**
   * Checks that the user of the connection string has the rights that the service needs; writes nothing.
   * @param appends true if it appends, which only one adapter of a process may do
   * @throws MissingRight, which says how to grant it; EventStoreUnavailable if the store does not answer
   */
  requireRights(appends: boolean): Promise<void> {
    const tried: Probe = [
      'append',
      () => this.#lane.append(impossibleAppend(probedStream)).catch(unlessRefused),
    ];
    return requireAll([
      ['read', () => this.readLast(probedStream)],
      ['read $all', () => this.end()],
      ...(appends ? [tried] : []),
    ]);
  }

  /** True after disposal. */
  get isDisposed(): boolean {
    return this.#reader.isDisposed;
  }

  async readStream<E extends EventRecord>(
    stream: string,
    from = 0n,
    limit = Infinity,
  ): Promise<RecordedEvent<E>[]> {
    const events: RecordedEvent<E>[] = [];
    for (;;) {
      const count = Math.min(streamPage, limit - events.length);
      const page = await this.#readPage<E>({
        stream,
        direction: 'forwards',
        from: from + BigInt(events.length),
        count,
      });
      events.push(...page);
      if (page.length < count || events.length >= limit) return events;
    }
  }

  async readLast<E extends EventRecord>(stream: string): Promise<RecordedEvent<E> | undefined> {
    const newest = { stream, direction: 'backwards', from: 'end', count: 1 } as const;
    const [last] = await this.#readPage<E>(newest);
    return last;
  }

  async head(prefixes: readonly string[]): Promise<Position> {
    crashPoints?.pass('eventstore', 'head', 'before');
    const head = await this.#head.head(named(prefixes));
    crashPoints?.pass('eventstore', 'head', 'after');
    return head;
  }

  async end(signal?: AbortSignal): Promise<Position> {
    crashPoints?.pass('eventstore', 'end', 'before');
    const end = await this.#head.end(signal);
    crashPoints?.pass('eventstore', 'end', 'after');
    return end;
  }

  /**
   * Any node may serve it: views follow the log, and apply each event only behind their own checkpoint. Each read of the
   * log's head turns the client to the leader. So after a node that fell silent, a new subscription goes to the leader.
   */
  subscribe(after: Position | 'start', prefixes: readonly string[]): Promise<Subscription> {
    const range = { after, prefixes, requiresLeader: false };
    return this.#subscribe(range, (stored) => this.#codec.decode(stored));
  }

  async #subscribe<E>(
    range: SubscriptionRange,
    decode: (stored: StoredEvent) => E,
  ): Promise<StoreSubscription<E>> {
    named(range.prefixes);
    crashPoints?.pass('eventstore', 'subscribe', 'before');
    await this.#recovered;
    const loan = this.#reader.lend();
    const subscription = openSubscription(loan.client, range, decode, (error) => {
      this.#subscriptions.delete(subscription);
      if (error !== undefined) this.#recovered = this.#reader.afterFailure(loan.client, error);
      loan.giveBack();
    });
    this.#subscriptions.add(subscription);
    try {
      await subscription.confirmed(this.#deadlineMs);
      crashPoints?.pass('eventstore', 'subscribe', 'after');
      return subscription;
    } catch (error) {
      throw isFinal(error) ? finalError(error) : unavailable(error);
    }
  }

  readAll(
    after: Position | 'start',
    prefixes: readonly string[],
  ): AsyncGenerator<RecordedEvent, void, void> {
    return this.#readAll(after, prefixes, (stored) => this.#codec.decode(stored));
  }

  /** Does the same as `readAll` for all events, readable or not, with the exact bytes that the store keeps. */
  readStored(
    after: Position | 'start',
    prefixes: readonly string[],
  ): AsyncGenerator<StoredRecord, void, void> {
    return this.#readAll(after, prefixes, (stored) => ({
      id: stored.id,
      type: stored.type,
      stream: stored.stream,
      revision: stored.revision,
      position: stored.position.commit,
      recordedAt: instantFromMs(stored.createdMs),
      isJson: stored.isJson,
      data: stored.data,
      metadata: stored.metadata,
      decode: () => this.#codec.decode(stored),
    }));
  }

  /**
   * Uses a catch-up subscription, because the server filters those and not reads. If it drops, it is resumed as long as
   * each resumption makes progress. It requires the leader, which also named the end: on a node that lags, "caught up"
   * would come before the end.
   */
  async *#readAll<E extends { readonly position: Position }>(
    after: Position | 'start',
    prefixes: readonly string[],
    decode: (stored: StoredEvent) => E,
  ): AsyncGenerator<E, void, void> {
    // Read to the log's end, not to the newest event with the prefixes: if that is old, finding it would mean reading
    // everything since.
    const end = await this.end();
    let position = after === 'start' ? 0n : after;
    while (position < end) {
      const begunAt = position;
      const range = { after: position, prefixes, requiresLeader: true };
      const subscription = await this.#subscribe(range, decode);
      try {
        for await (const item of subscription) {
          if (item.kind === 'caught-up') return;
          if (item.kind === 'unreadable') throw item.error;
          position = item.kind === 'event' ? item.event.position : item.position;
          if (item.kind === 'event') yield item.event;
          if (position >= end) return;
        }
      } catch (error) {
        if (!(error instanceof EventStoreUnavailable) || position === begunAt) throw error;
      } finally {
        await subscription.close();
      }
    }
  }

  /** Ends subscriptions, calls and connections. Appends in flight fail with an unknown outcome. */
  async dispose(): Promise<void> {
    for (const subscription of this.#subscriptions) await subscription.close();
    await Promise.all([this.#lane.dispose(), this.#reader.dispose()]);
  }

  async #readPage<E extends EventRecord>(page: StreamPage): Promise<RecordedEvent<E>[]> {
    crashPoints?.pass('eventstore', 'readStream', 'before');
    const request = encodeStreamPage(page);
    const events = await this.#reader.read((client, limits) => collect(client, request, limits));
    crashPoints?.pass('eventstore', 'readStream', 'after');
    return events.map((event) => this.#codec.decode<E>(event));
  }

  #observe(outcome: AppendObservation['outcome'], { startedAt, span, events }: Observed): void {
    this.#options.onAppend?.({ outcome, seconds: (performance.now() - startedAt) / 1_000 });
    // A conflict is the answer to a race, and the caller decides again.
    span?.end(
      {
        'db.system.name': 'eventstoredb',
        'pesapost.events': typesOf(events),
        'pesapost.outcome': outcome,
      },
      outcome === 'unavailable',
    );
  }
}

/** An append under way. */
interface Observed {
  readonly startedAt: number;
  readonly span: Span | undefined;
  readonly events: readonly NewEvent[];
}

function typesOf(events: readonly NewEvent[]): string {
  return events.map(({ event }) => event.type).join(',');
}

function outcomeOf(error: unknown): AppendObservation['outcome'] {
  if (error instanceof WrongExpectedRevision) return 'conflict';
  return error instanceof EventStoreUnavailable ? 'unavailable' : 'refused';
}

/** The store checked the append up to its revision, which never matches. */
function unlessRefused(error: unknown): void {
  if (!(error instanceof WrongExpectedRevision)) throw error;
}

/** Without a prefix the server would return nothing, or a whole log that others share. */
function named(prefixes: readonly string[]): readonly string[] {
  if (prefixes.length === 0 || prefixes.includes(''))
    throw new TypeError('name at least one stream prefix');
  return prefixes;
}
