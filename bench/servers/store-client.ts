import { eventTypes } from '#domain/event-types';
import { EventStoreDb } from '#infra/eventstoredb';

/** Opens the adapter that the apps use on this store; one at a time in this process. */
export function openStoreClient(url: string): EventStoreDb {
  return new EventStoreDb({
    connectionString: url,
    eventTypes,
    deadlineMs: 30_000,
    logger: { warn: () => undefined },
    onFatal: (error) => {
      throw error;
    },
  });
}
