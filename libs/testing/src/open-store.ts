import { collectionEventTypes } from '#collections';
import { EventStoreDb } from '#eventstoredb';
import { merchantEventTypes } from '#merchants';
import { createLogger } from '#runtime';
import { retirementEventTypes } from '#v3-retirement';

/** The adapter of the log as the apps build it; dispose of it in `afterAll`. */
export function openStore(connectionString = process.env['EVENTSTORE_URL'] ?? ''): EventStoreDb {
  return new EventStoreDb({
    connectionString,
    eventTypes: { ...collectionEventTypes, ...merchantEventTypes, ...retirementEventTypes },
    logger: createLogger({ app: 'tests', level: 'fatal' }),
    onFatal: (error) => {
      throw error;
    },
  });
}
