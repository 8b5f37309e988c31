import { DependencyUnavailable, type Instant } from '#domain/kernel';
import { type EventMetadata } from './stored-event.js';

/** An event's place in the whole log: the store's commit position, above 0 and rising. */
export type Position = bigint;

/** A subject's event: a stored name and data of the current version; amounts (`…Minor`) are bigint. */
export interface EventRecord {
  readonly type: string;
  readonly data: object;
}

/** An event to append. Its id is random, and a retry of the append uses the same one. */
export interface NewEvent<E extends EventRecord = EventRecord> {
  readonly id: string;
  readonly event: E;
  readonly metadata: EventMetadata;
}

/** An event read from the store, upcast to the current version. */
export type RecordedEvent<E extends EventRecord = EventRecord> = E & {
  readonly id: string;
  readonly stream: string;
  readonly revision: bigint;
  readonly position: Position;
  /** The time at which the store recorded the event. */
  readonly recordedAt: Instant;
  readonly metadata: EventMetadata;
};

/** `no_stream`: the stream must not exist. A revision: it must be the head. There is no "any". */
export type ExpectedRevision = 'no_stream' | bigint;

export interface Appended {
  /** Revision of the last event of the append. */
  readonly revision: bigint;
  /** Position of the last event of the append. */
  readonly position: Position;
}

/** The stream's head is not what the writer expected; nothing was written. */
export class WrongExpectedRevision extends Error {
  override readonly name = 'WrongExpectedRevision';
  constructor(
    readonly stream: string,
    readonly actual: ExpectedRevision,
  ) {
    super('the stream has moved on since it was read');
  }
}

/**
 * The store did not answer in time or cannot be reached. For an append the outcome is unknown: retry it
 * with the same ids and the same expected revision, or reload.
 */
export class EventStoreUnavailable extends DependencyUnavailable {
  override readonly name = 'EventStoreUnavailable';
  constructor(why: string, options?: ErrorOptions) {
    super('event store', why, options);
  }
}

/** The log holds a type or version that this release does not know. Readers stop; they never skip. */
export class UnknownEventType extends Error {
  override readonly name = 'UnknownEventType';
  constructor(
    readonly type: string,
    readonly version: unknown,
    readonly position: Position,
  ) {
    super(
      `event ${type} version ${String(version)} at position ${position} is unknown to this release: ` +
        'run a release that knows it',
    );
  }
}

/** An event without its data. */
export type EventPlace = Pick<
  RecordedEvent,
  'type' | 'id' | 'stream' | 'revision' | 'position' | 'recordedAt'
>;

/** The log has an event of a known type and version whose data are invalid, so it cannot be applied. */
export class UnreadableEvent extends Error {
  override readonly name = 'UnreadableEvent';
  constructor(
    readonly place: EventPlace,
    why: string,
    options?: ErrorOptions,
  ) {
    super(`event ${place.type} at position ${place.position} cannot be read: ${why}`, options);
  }
}

/**
 * An item of a subscription: an event, an unreadable event, a position up to which no other event matches, or "caught
 * up".
 */
export type SubscriptionItem =
  | { readonly kind: 'event'; readonly event: RecordedEvent }
  | { readonly kind: 'unreadable'; readonly error: UnreadableEvent }
  | { readonly kind: 'checkpoint'; readonly position: Position }
  | { readonly kind: 'caught-up' };

/** Ends on `close()`, or throws EventStoreUnavailable when dropped: subscribe again from the last position. */
export interface Subscription extends AsyncIterable<SubscriptionItem> {
  close(): Promise<void>;
}

/** The event log. Implemented over EventStoreDB's protocol; the only writer of money's history. */
export abstract class EventStore {
  /**
   * Appends all events or none. They are durable before it resolves. Retries an append of unknown outcome with the same
   * ids and expected revision, within its deadline.
   * @throws WrongExpectedRevision, EventStoreUnavailable
   */
  abstract append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
  ): Promise<Appended>;

  /**
   * Reads the whole stream, oldest first, from the leader; empty if it does not exist.
   * @param from the first revision, for a stream that is too long to be read whole
   * @param limit the maximum number of events, 1 or more
   * @throws EventStoreUnavailable, UnknownEventType, UnreadableEvent
   */
  abstract readStream<E extends EventRecord>(
    stream: string,
    from?: bigint,
    limit?: number,
  ): Promise<RecordedEvent<E>[]>;

  /** Reads the last event of the stream, from the leader. */
  abstract readLast<E extends EventRecord>(stream: string): Promise<RecordedEvent<E> | undefined>;

  /**
   * Position of the newest event whose stream has one of the prefixes; 0 in an empty log. Reads back to that event, so
   * the first call may take long if others write to the log.
   */
  abstract head(prefixes: readonly string[]): Promise<Position>;

  /**
   * Position of the log's newest event, of any stream; 0 in an empty log. It is one bounded read from the leader,
   * whatever the log's length, so it serves as a health check.
   * @param signal ends the call and its resources at the server
   */
  abstract end(signal?: AbortSignal): Promise<Position>;

  /** Delivers all events whose stream has one of the prefixes, in log order, after the position, then live. */
  abstract subscribe(after: Position | 'start', prefixes: readonly string[]): Promise<Subscription>;

  /**
   * Reads all events whose stream has one of the prefixes, in log order, after the position, up to the head.
   * @throws EventStoreUnavailable, UnknownEventType, UnreadableEvent (which ends it: continue after its position)
   */
  abstract readAll(
    after: Position | 'start',
    prefixes: readonly string[],
  ): AsyncIterable<RecordedEvent>;
}
