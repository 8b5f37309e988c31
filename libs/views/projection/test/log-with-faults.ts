import {
  EventStore,
  type RecordedEvent,
  type Subscription,
  type SubscriptionItem,
  UnreadableEvent,
} from '#domain/event-sourcing';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Log } from '#testing';

/** A log made by hand that can be followed; events whose positions are named cannot be read until they are no more. */
export class LogWithFaults extends EventStore {
  readonly unreadable = new Set<bigint>();
  /** Events behind it are not there yet. */
  visible = Number.POSITIVE_INFINITY;

  constructor(private readonly log: Log) {
    super();
  }
  override append(): never {
    throw new Error('nobody appends');
  }
  override readLast(): never {
    throw new Error('nobody needs the last one');
  }
  override async *readAll(
    after: bigint | 'start',
    prefixes: readonly string[],
  ): AsyncGenerator<RecordedEvent, void, void> {
    for (const event of this.#events()) {
      if (after !== 'start' && event.position <= after) continue;
      if (!prefixes.some((prefix) => event.stream.startsWith(prefix))) continue;
      if (this.unreadable.has(event.position))
        throw new UnreadableEvent(event, 'the test made it so');
      yield await Promise.resolve(event);
    }
  }
  override readStream<E extends { type: string; data: object }>(stream: string, from = 0n) {
    const events = this.log.events.filter(
      (event) => event.stream === stream && event.revision >= from,
    );
    for (const event of events)
      if (this.unreadable.has(event.position))
        return Promise.reject(new UnreadableEvent(event, 'the test made it so'));
    return Promise.resolve(events as RecordedEvent<E>[]);
  }
  override head(): Promise<bigint> {
    return Promise.resolve(this.#events().at(-1)?.position ?? 0n);
  }
  override end(): Promise<bigint> {
    return this.head();
  }
  override subscribe(after: bigint | 'start', prefixes: readonly string[]): Promise<Subscription> {
    const state = { closed: false };
    const items = this.#follow(after === 'start' ? 0n : after, prefixes, state);
    const close = () => {
      state.closed = true;
      return Promise.resolve();
    };
    return Promise.resolve({ [Symbol.asyncIterator]: () => items, close });
  }

  async *#follow(
    after: bigint,
    prefixes: readonly string[],
    state: { readonly closed: boolean },
  ): AsyncGenerator<SubscriptionItem, void, void> {
    let at = after;
    const isOver = (): boolean => state.closed;
    for (let caughtUp = false; !isOver();) {
      for (const event of this.#events().filter(({ position }) => position > at)) {
        if (isOver()) return;
        at = event.position;
        if (prefixes.some((prefix) => event.stream.startsWith(prefix))) yield this.#item(event);
      }
      if (!caughtUp) yield { kind: 'caught-up' };
      caughtUp = true;
      await sleep(5);
    }
  }

  #item(event: RecordedEvent): SubscriptionItem {
    return this.unreadable.has(event.position)
      ? { kind: 'unreadable', error: new UnreadableEvent(event, 'the test made it so') }
      : { kind: 'event', event };
  }

  #events(): readonly RecordedEvent[] {
    return this.log.events.slice(0, this.visible);
  }
}
