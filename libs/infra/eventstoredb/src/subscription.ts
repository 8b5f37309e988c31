import {
  EventStoreUnavailable,
  type Position,
  type RecordedEvent,
  type SubscriptionItem,
  UnreadableEvent,
} from '#domain/event-sourcing';
import { crashPoints, withDeadline } from '#infra/runtime';
import { isOurs, unavailable } from './failure.js';
import { type GuardedClient } from './guarded-client.js';
import { ReadCall } from './read-call.js';
import { encodeSubscription } from './wire/read-request.js';
import { type ReadMessage, type StoredEvent } from './wire/read-response.js';

/**
 * The number of events that the server reads for one page if few match; it sends a checkpoint after each. 500 scans
 * three times as fast as the server's default of 32.
 */
const searchWindow = 500;

/** The beginning of a subscription, the streams that it delivers, and the nodes that may serve it. */
export interface SubscriptionRange {
  readonly after: Position | 'start';
  readonly prefixes: readonly string[];
  /** True if only the leader may serve it. Another node may lag, and is then "caught up" before the log's end. */
  readonly requiresLeader: boolean;
}

/**
 * Opens the call. It keeps an error that comes before the iteration, so that the iteration throws it.
 * @param decode converts an event to the yielded form
 * @param onEnd called once when the call is over, with its error if it had one
 */
export function openSubscription<E>(
  client: GuardedClient,
  { after, prefixes, requiresLeader }: SubscriptionRange,
  decode: (stored: StoredEvent) => E,
  onEnd: (error?: unknown) => void,
): StoreSubscription<E> {
  // Only the commit position counts: the prepare position of a checkpoint may be 0.
  const from = after === 'start' || after === 0n ? 'start' : { commit: after, prepare: after };
  const request = encodeSubscription(from, prefixes, searchWindow);
  return new StoreSubscription(new ReadCall(client, { request, requiresLeader }), decode, onEnd);
}

/** The same as `SubscriptionItem` for events in another form. */
type Item<E> =
  Exclude<SubscriptionItem, { kind: 'event' }> | { readonly kind: 'event'; readonly event: E };
type Next<E> = IteratorResult<Item<E>, undefined>;

const done = { value: undefined, done: true } as const;

/** A subscription to iterate once. */
export class StoreSubscription<E = RecordedEvent> implements AsyncIterable<Item<E>> {
  readonly #call: ReadCall;
  readonly #decode: (stored: StoredEvent) => E;
  readonly #onEnd: (error?: unknown) => void;
  #batch: readonly ReadMessage[] = [];
  #at = 0;
  #closed = false;
  #over = false;

  constructor(
    call: ReadCall,
    decode: (stored: StoredEvent) => E,
    onEnd: (error?: unknown) => void,
  ) {
    this.#call = call;
    this.#decode = decode;
    this.#onEnd = onEnd;
  }

  /**
   * Resolves when the server has confirmed the subscription; if it does not, the call is ended.
   * @throws the client's errors; DeadlineExceeded
   */
  async confirmed(deadlineMs: number): Promise<void> {
    try {
      // The confirmation is the first message.
      const begun = await withDeadline(this.#fetch(), deadlineMs, 'subscribing to the event store');
      if (!begun) throw new EventStoreUnavailable('the subscription ended before it began');
    } catch (error) {
      this.#end(error);
      throw error;
    }
  }

  /**
   * Not a generator, whose turns would cost more than the work in them. Waiting for each item is the only
   * back-pressure: the call reads a little ahead, and the server keeps the rest.
   */
  [Symbol.asyncIterator](): AsyncIterator<Item<E>, undefined> {
    return {
      next: () => {
        const item = this.#atHand();
        return item ? Promise.resolve({ value: item, done: false }) : this.#next();
      },
      return: () => {
        this.#end();
        return Promise.resolve(done);
      },
    };
  }

  /** The next item if it has arrived already: an event then costs one promise, and no turn of an async function. */
  #atHand(): Item<E> | undefined {
    if (this.#over) return undefined;
    const message = this.#batch[this.#at];
    if (message?.kind !== 'event' || !message.event) return undefined;
    try {
      const item = this.#read(message.event);
      this.#at += 1;
      return item;
    } catch {
      // It is decoded again by the path that ends the call with the error.
      return undefined;
    }
  }

  async #next(): Promise<Next<E>> {
    try {
      while (!this.#over) {
        const message = this.#batch[this.#at];
        this.#at += 1;
        const item = message && this.#itemOf(message);
        if (item) return { value: item, done: false };
        if (!message && !(await this.#fetch())) break;
      }
    } catch (error) {
      if (this.#closed) return done;
      this.#end(error);
      throw isOurs(error) ? error : unavailable(error);
    }
    if (this.#over) return done;
    this.#end();
    throw new EventStoreUnavailable('the server ended the subscription');
  }

  /** @returns true if there is a next batch */
  async #fetch(): Promise<boolean> {
    const batch = await this.#call.take();
    this.#batch = batch ?? [];
    this.#at = 0;
    return batch !== undefined;
  }

  #itemOf(message: ReadMessage): Item<E> | undefined {
    if (message.kind === 'event') return message.event && this.#read(message.event);
    if (message.kind === 'checkpoint')
      return { kind: 'checkpoint', position: message.position.commit };
    return message.kind === 'caught-up' ? { kind: 'caught-up' } : undefined;
  }

  #read(stored: StoredEvent): Item<E> {
    crashPoints?.pass('eventstore', `deliver ${stored.type}`, 'after');
    try {
      return { kind: 'event', event: this.#decode(stored) };
    } catch (error) {
      if (error instanceof UnreadableEvent) return { kind: 'unreadable', error };
      throw error;
    }
  }

  close(): Promise<void> {
    this.#closed = true;
    this.#end();
    return Promise.resolve();
  }

  /** Ends the call, which leaving the iteration would not do by itself. */
  #end(error?: unknown): void {
    if (this.#over) return;
    this.#over = true;
    this.#call.cancel();
    this.#onEnd(error);
  }
}
