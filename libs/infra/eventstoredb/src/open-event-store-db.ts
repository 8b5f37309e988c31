import { eventTypes } from '#domain/event-types';
import { type ProcessContext } from '#infra/runtime';
import { EventStoreDb } from './event-store-db.js';

/**
 * The log of a process of ours: appends are timed, and a client that cannot go on ends the process in order, so
 * that its supervisor starts a fresh one. It knows every event type, whatever the process is for (OPS-40).
 */
export function openEventStoreDb({ servers, logger, metrics }: ProcessContext): EventStoreDb {
  const appendSeconds = metrics.histogram({
    name: 'append_seconds',
    help: 'Time that an append to the event log took, retries included',
    labels: ['outcome'],
  });
  return new EventStoreDb({
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
}
