import { type CommitListener } from '../store/group-writer.js';
import { type StoredEvent } from '../store/event-log.js';

/** Receives the events of each commit, append by append, once they are durable. */
export interface LiveSubscriber {
  deliver(appends: readonly (readonly StoredEvent[])[]): void;
}

/** Sends every commit to the subscribers that follow the log live. */
export class LiveHub {
  readonly #subscribers = new Set<LiveSubscriber>();

  add(subscriber: LiveSubscriber): void {
    this.#subscribers.add(subscriber);
  }

  remove(subscriber: LiveSubscriber): void {
    this.#subscribers.delete(subscriber);
  }

  readonly publish: CommitListener = (appends) => {
    for (const subscriber of this.#subscribers) subscriber.deliver(appends);
  };
}
