import {
  EventStoreUnavailable,
  type Subscription,
  type SubscriptionItem,
} from '#domain/event-sourcing';
import { Dice } from '../core/dice.js';
import { type Life } from '../core/life.js';
import { type MemoryLog } from './log.js';

const odds = { dropped: 0.01, repeated: 0.03 } as const;

/** A live subscription: events in the log's order, each after a while. It may be dropped, and may repeat events. */
export class MemorySubscription implements Subscription {
  readonly #received: (SubscriptionItem | Error)[] = [];
  #cursor: number;
  #isOver = false;
  #isOnItsWay = false;
  #wake: (() => void) | undefined;
  readonly #unwatch: () => void;

  constructor(
    private readonly life: Life,
    private readonly log: MemoryLog,
    after: bigint,
  ) {
    this.#cursor = Number(after);
    this.#unwatch = log.watch(() => {
      this.#send();
    });
    this.#send();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<SubscriptionItem, void, void> {
    while (!this.#isOver || this.#received.length > 0) {
      const item = this.#received.shift();
      if (item instanceof Error) throw item;
      if (item) yield item;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }

  close(): Promise<void> {
    this.#end();
    return Promise.resolve();
  }

  /** One delivery is in transit at a time, to keep the order. It takes along all events until then. */
  #send(): void {
    if (this.#isOver || this.#isOnItsWay || this.#cursor >= this.log.events.length) return;
    this.#isOnItsWay = true;
    const { life } = this;
    const label = life.label('is sent events');
    const dice = new Dice(life.world.seed, label);
    life.later(dice.fraction() * (dice.chance(0.1) ? 400 : 10), dice.bits(), () => {
      this.#isOnItsWay = false;
      this.#deliver(label);
    });
  }

  #deliver(label: string): void {
    if (this.#isOver) return;
    const { world, name } = this.life;
    const isDown = world.isDown('event store', name);
    if (isDown || world.faults.happens(`${label}: dropped`, odds.dropped)) {
      world.tell(() => `${name} loses its subscription`);
      this.#received.push(new EventStoreUnavailable('the server dropped the subscription'));
      this.#end();
      return;
    }
    const isRepeated = world.faults.happens(`${label}: twice`, odds.repeated);
    const from = isRepeated ? Math.max(0, this.#cursor - 1) : this.#cursor;
    const events = this.log.events.slice(from);
    this.#cursor = this.log.events.length;
    world.tell(() => {
      const what = events.map(({ type, position }) => `${type} at ${position}`).join(', ');
      return `${name} is sent ${what}${isRepeated ? ' (the first of them again)' : ''}`;
    });
    for (const event of events) this.#received.push({ kind: 'event', event });
    this.#wake?.();
  }

  #end(): void {
    this.#isOver = true;
    this.#unwatch();
    this.#wake?.();
  }
}
