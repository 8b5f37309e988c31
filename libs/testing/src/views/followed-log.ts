import { type Subscription, type SubscriptionItem } from '#domain/event-sourcing';
import { type Leadership } from '#views/projection';
import { type HandMadeLog } from '../events.js';
import { ReadOnlyLog } from './history.js';

/** A log that delivers events when the test says so. Its subscription stays open until it is closed. */
export class FollowedLog extends ReadOnlyLog {
  private controller!: ReadableStreamDefaultController<SubscriptionItem>;
  constructor(private readonly own: HandMadeLog) {
    super(own);
  }
  bring(count: number): void {
    for (let left = count; left > 0; left -= 1)
      for (const event of this.own.append('collection-demo:m:r', {
        type: 'RailDeclined',
        data: {},
      }))
        this.deliver({ kind: 'event', event });
  }
  deliver(item: SubscriptionItem): void {
    this.controller.enqueue(item);
  }
  override subscribe(): Promise<Subscription> {
    const items = new ReadableStream<SubscriptionItem>({
      start: (controller) => {
        this.controller = controller;
      },
    });
    let isOpen = true;
    const close = () => {
      if (isOpen) this.controller.close();
      isOpen = false;
      return Promise.resolve();
    };
    return Promise.resolve({ [Symbol.asyncIterator]: () => items.values(), close });
  }
}

/** The lease of a process that has no rival. */
export const undisputedLease: Leadership = {
  fence: 1n,
  tryAcquire: () => Promise.resolve(1n),
  renew: () => Promise.resolve(true),
  release: () => Promise.resolve(),
};
