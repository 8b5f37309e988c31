import { eventTypes } from '#domain/event-types';
import { EventStoreDb } from '#infra/eventstoredb';
import { createLogger } from '#infra/runtime';

/** The adapter of the log as the apps build it; dispose of it in `afterAll`. */
export function openStore(connectionString = process.env['EVENTSTORE_URL'] ?? ''): EventStoreDb {
  return new EventStoreDb({
    connectionString,
    eventTypes,
    logger: createLogger({ app: 'tests', level: 'fatal' }),
    onFatal: (error) => {
      throw error;
    },
  });
}
