import { EventStoreUnavailable } from '#domain/event-sourcing';
import { readEventStoreUrl } from '#infra/runtime';
import { StartRefused } from './refusal.js';

/** A leader change of a cluster takes a few seconds. */
const deadlineMs = 10_000;

/**
 * Checks that the event store of EVENTSTORE_URL answers and that its user has each right, before anything starts
 * (OPS-43).
 * @throws StartRefused, which names the missing right and says how to grant it
 */
export async function requireEventStore(url: string): Promise<void> {
  // The launcher needs a client only if the event store is a configured one.
  const { certificateFault, EventStoreDb, MissingRight } = await import('#infra/eventstoredb');
  const store = new EventStoreDb({
    connectionString: url,
    eventTypes: {},
    deadlineMs,
    logger: { warn: () => undefined },
    onFatal: () => undefined,
  });
  try {
    await store.requireRights(true);
  } catch (error) {
    if (error instanceof MissingRight) throw new StartRefused(error.message);
    if (!(error instanceof EventStoreUnavailable)) throw error;
    const read = readEventStoreUrl(url);
    const fault = 'problem' in read ? undefined : await certificateFault(read);
    throw new StartRefused(
      fault ??
        `EVENTSTORE_URL: the event store at ${hostsOf(url)} does not answer (${error.message}): start it, or unset EVENTSTORE_URL to have one started`,
      { cause: error },
    );
  } finally {
    await store.dispose();
  }
}

function hostsOf(url: string): string {
  const read = readEventStoreUrl(url);
  return 'problem' in read ? 'its address' : read.hosts.join(', ');
}
