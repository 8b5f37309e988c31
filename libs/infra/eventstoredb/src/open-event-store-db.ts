import { type EventTypes } from '#domain/event-sourcing';
import { type ProcessContext } from '#infra/runtime';
import { EventStoreDb } from './event-store-db.js';

/**
 * The log of a process of ours: appends are timed, and a client that cannot go on ends the process in order, so
 * that whoever supervises it starts a fresh one.
 * @param eventTypes the merged tables of all subjects
 */
export function openEventStoreDb(
  { servers, logger, metrics }: ProcessContext,
  eventTypes: EventTypes,
): EventStoreDb {
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
