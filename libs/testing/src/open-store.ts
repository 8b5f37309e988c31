import { eventTypes } from '#domain/event-types';
import { EventStoreDb } from '#infra/eventstoredb';
import { createLogger } from '#infra/runtime';

/** The adapter of the log as the apps build it; dispose of it in `afterAll`. */
export function openStore(connectionString = process.env['EVENTSTORE_URL'] ?? ''): EventStoreDb {
  return new EventStoreDb({
    connectionString,
    eventTypes,
    // A busy machine may take this long for an answer.
    deadlineMs: 60_000,
    logger: createLogger({ app: 'tests', level: 'fatal' }),
    onFatal: (error) => {
      throw error;
    },
  });
}
