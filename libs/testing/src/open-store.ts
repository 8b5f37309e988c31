import { collectionEventTypes } from '#domain/collections';
import { correctionEventTypes } from '#domain/corrections';
import { payoutEventTypes } from '#domain/payouts';
import { EventStoreDb } from '#infra/eventstoredb';
import { reservationEventTypes } from '#domain/ledger';
import { merchantEventTypes } from '#domain/merchants';
import { createLogger } from '#infra/runtime';
import { retirementEventTypes } from '#domain/v3-retirement';

/** The adapter of the log as the apps build it; dispose of it in `afterAll`. */
export function openStore(connectionString = process.env['EVENTSTORE_URL'] ?? ''): EventStoreDb {
  return new EventStoreDb({
    connectionString,
    eventTypes: {
      ...collectionEventTypes,
      ...correctionEventTypes,
      ...payoutEventTypes,
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
