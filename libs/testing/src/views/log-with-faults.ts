import {
  type EventRecord,
  type RecordedEvent,
  type Subscription,
  type SubscriptionItem,
  UnreadableEvent,
} from '#domain/event-sourcing';
import { setTimeout as sleep } from 'node:timers/promises';
import { ReadOnlyLog } from './history.js';

/**
 * A log made by hand that can be followed. Events at the listed positions cannot be read until they are removed from
 * the list.
 */
export class LogWithFaults extends ReadOnlyLog {
  readonly unreadable = new Set<bigint>();
  /** The reason of the faults. */
  why = 'the test made it so';
  /** Events after this one are not visible yet. */
  visible = Number.POSITIVE_INFINITY;

  override async *readAll(
    after: bigint | 'start',
    prefixes: readonly string[],
  ): AsyncGenerator<RecordedEvent, void, void> {
    for (const event of this.seen()) {
      if (after !== 'start' && event.position <= after) continue;
      if (!prefixes.some((prefix) => event.stream.startsWith(prefix))) continue;
      if (this.unreadable.has(event.position)) throw new UnreadableEvent(event, this.why);
      yield await Promise.resolve(event);
    }
  }
  override async readStream<E extends EventRecord>(stream: string, from = 0n, limit?: number) {
    const events = await super.readStream<E>(stream, from, limit);
    const unreadable = events.find(({ position }) => this.unreadable.has(position));
    if (unreadable) throw new UnreadableEvent(unreadable, this.why);
    return events;
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
      for (const event of this.seen().filter(({ position }) => position > at)) {
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
      ? { kind: 'unreadable', error: new UnreadableEvent(event, this.why) }
      : { kind: 'event', event };
  }

  protected override seen(): readonly RecordedEvent[] {
    return this.log.events.slice(0, this.visible);
  }
}
