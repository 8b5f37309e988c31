import { type EventEmitter } from 'node:events';

/** Resolves when the call takes more, or is over. */
export function drained(call: EventEmitter): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      for (const event of ['drain', 'cancelled', 'close', 'error']) call.off(event, done);
      resolve();
    };
    for (const event of ['drain', 'cancelled', 'close', 'error']) call.on(event, done);
  });
}

/** Lets everything else that waits for the event loop have its turn. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
