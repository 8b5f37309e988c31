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
 * How many events the server looks at for one page where few match; it answers checkpoints in this rhythm.
 * 500 scans three times as fast as the server's default of 32.
 */
const searchWindow = 500;

/** Where a subscription begins and what it passes on. */
export interface SubscriptionRange {
  readonly after: Position | 'start';
  readonly prefixes: readonly string[];
}

/**
 * Opens the call; an error before anybody iterates is kept, so that the iteration meets it.
 * @param decode what is yielded of an event
 * @param onEnd called once when the call is over, with its error if it had one
 */
export function openSubscription<E>(
  client: GuardedClient,
  { after, prefixes }: SubscriptionRange,
  decode: (stored: StoredEvent) => E,
  onEnd: (error?: unknown) => void,
): StoreSubscription<E> {
  // Commit alone counts: the prepare position of a checkpoint may be 0.
  const from = after === 'start' || after === 0n ? 'start' : { commit: after, prepare: after };
  const request = encodeSubscription(from, prefixes, searchWindow);
  return new StoreSubscription(
    new ReadCall(client, { request, requiresLeader: false }),
    decode,
    onEnd,
  );
}

/** As `SubscriptionItem`, of events in another form. */
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
   * Resolves when the server has confirmed the subscription; where it does not, the call is ended.
   * @throws what the client throws; DeadlineExceeded
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
   * Not a generator, whose turns would cost more than what is done in them. Waiting for each item is all the
   * back-pressure there is: the call reads a little ahead, the server keeps the rest.
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

  /** The next item where it has come already: an event then costs one promise, and no turn of an async function. */
  #atHand(): Item<E> | undefined {
    if (this.#over) return undefined;
    const message = this.#batch[this.#at];
    if (message?.kind !== 'event' || !message.event) return undefined;
    try {
      const item = this.#read(message.event);
      this.#at += 1;
      return item;
    } catch {
      // Decoded once more, where the error ends the call.
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

  /** @returns whether there is a next batch */
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

  /** Ends the call, which leaving the iteration alone would not. */
  #end(error?: unknown): void {
    if (this.#over) return;
    this.#over = true;
    this.#call.cancel();
    this.#onEnd(error);
  }
}
