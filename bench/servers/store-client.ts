import { collectionEventTypes } from '#domain/collections';
import { EventStoreDb } from '#infra/eventstoredb';
import { merchantEventTypes } from '#domain/merchants';

/** The adapter that the apps use, on this store; one at a time in this process. */
export function openStoreClient(url: string): EventStoreDb {
  return new EventStoreDb({
    connectionString: url,
    eventTypes: { ...collectionEventTypes, ...merchantEventTypes },
    deadlineMs: 30_000,
    logger: { warn: () => undefined },
    onFatal: (error) => {
      throw error;
    },
  });
}
