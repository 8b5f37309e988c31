import { type EventStore } from '#domain/event-sourcing';
import { createLogger } from '#infra/runtime';
import { openStore } from './infrastructure.module.js';
import { serversOf } from './servers.js';
import { settingsOrRefused } from './settings.js';

/**
 * Reads the log without the rest of the app, before a command begins.
 * @throws Refused, EventStoreUnavailable
 */
export async function withLog<T>(read: (store: EventStore) => Promise<T>): Promise<T> {
  const store = openStore(
    await serversOf(settingsOrRefused()),
    createLogger({ app: 'cli', level: 'silent' }),
  );
  try {
    return await read(store);
  } finally {
    await store.dispose();
  }
}
