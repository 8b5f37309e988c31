import { eventTypes } from '#domain/event-types';
import { exitFlushed, type ProcessContext } from '#infra/runtime';
import { setTimeout as sleep } from 'node:timers/promises';
import { EventStoreDb } from './event-store-db.js';
import { MissingRight } from './rights.js';

/** If the store is down at the start, the rights are checked again after this time. */
const askAgainMs = 5_000;

/**
 * The log of a service process. Appends are timed, and a client that cannot continue ends the process in order, so that
 * its supervisor starts a fresh one. It knows every event type, whatever the process is for (OPS-40).
 */
export function openEventStoreDb({ servers, logger, metrics }: ProcessContext): EventStoreDb {
  const appendSeconds = metrics.histogram({
    name: 'append_seconds',
    help: 'Time that an append to the event log took, retries included',
    labels: ['outcome'],
  });
  const store = new EventStoreDb({
    connectionString: servers.eventstoreUrl,
    eventTypes,
    logger,
    onFatal: (error) => {
      logger.fatal({ err: error }, 'the event store client cannot go on: restarting');
      process.kill(process.pid, 'SIGTERM');
    },
    onAppend: ({ outcome, seconds }) => {
      appendSeconds.observe({ outcome }, seconds);
    },
  });
  void endWithoutRights(store, (missing) => {
    logger.fatal({ code: 'missing_right' }, missing.message);
    exitFlushed(logger, 1);
  });
  return store;
}

/**
 * Checks the rights while the process starts, which does not wait: callbacks are accepted without the event store, too.
 * A user without a right can do nothing else, so the process ends (OPS-43).
 */
async function endWithoutRights(
  store: EventStoreDb,
  end: (missing: MissingRight) => void,
): Promise<void> {
  while (!store.isDisposed) {
    try {
      await store.requireRights(false);
      return;
    } catch (error) {
      if (error instanceof MissingRight) {
        end(error);
        return;
      }
      await sleep(askAgainMs, undefined, { ref: false });
    }
  }
}
