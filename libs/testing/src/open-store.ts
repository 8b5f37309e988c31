import { collectionEventTypes } from '#collections';
import { correctionEventTypes } from '#corrections';
import { EventStoreDb } from '#eventstoredb';
import { reservationEventTypes } from '#ledger';
import { merchantEventTypes } from '#merchants';
import { createLogger } from '#runtime';
import { retirementEventTypes } from '#v3-retirement';

/** The adapter of the log as the apps build it; dispose of it in `afterAll`. */
export function openStore(connectionString = process.env['EVENTSTORE_URL'] ?? ''): EventStoreDb {
  return new EventStoreDb({
    connectionString,
    eventTypes: {
      ...collectionEventTypes,
      ...correctionEventTypes,
      ...reservationEventTypes,
      ...merchantEventTypes,
      ...retirementEventTypes,
    },
    logger: createLogger({ app: 'tests', level: 'fatal' }),
    onFatal: (error) => {
      throw error;
    },
  });
}
