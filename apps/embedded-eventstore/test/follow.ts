import {
  type AllStreamSubscription,
  type ResolvedEvent,
  type StreamSubscription,
} from '@eventstore/db-client';

type AnySubscription = AllStreamSubscription | StreamSubscription;

/** Follows a subscription by its events, so that nothing is buffered on the way. */
export function follow(subscription: AnySubscription) {
  const events: ResolvedEvent[] = [];
  const state = { caughtUp: 0, confirmed: 0, error: undefined as unknown };
  const listeners = new Set<() => void>();
  const changed = () => {
    for (const listener of listeners) listener();
  };
  const emitter = subscription as unknown as NodeJS.EventEmitter;
  emitter.on('data', (event: ResolvedEvent) => {
    events.push(event);
    changed();
  });
  emitter.on('confirmation', () => state.confirmed++);
  emitter.on('caughtUp', () => {
    state.caughtUp++;
    changed();
  });
  emitter.on('error', (error: unknown) => {
    state.error = error;
    changed();
  });
  const until = (reached: () => boolean) =>
    new Promise<void>((resolve) => {
      const check = () => {
        if (!reached()) return;
        listeners.delete(check);
        resolve();
      };
      listeners.add(check);
      check();
    });
  return {
    subscription,
    events,
    state,
    until,
    names: () => events.map(({ event }) => event?.type),
  };
}
