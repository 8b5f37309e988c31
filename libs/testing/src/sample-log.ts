import { type EventStore } from '#domain/event-sourcing';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { randomUUID } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';

interface Sample {
  readonly type: string;
  readonly data: Record<string, unknown>;
  readonly metadata: Record<string, unknown>;
}

/** Every event that any release ever wrote, one for each version: the sample files of all subjects. */
function samples(): readonly Sample[] {
  return globSync('libs/domain/*/src/samples/*.json')
    .toSorted()
    .map((file) => JSON.parse(readFileSync(file, 'utf8')) as Sample);
}

/**
 * Reads, with a process's own store, a log that contains every sample file. The stream has no prefix of ours, so no
 * projector of another spec reads it.
 * @returns the types that were written, and those that the process read
 */
export async function readEverySample(
  store: EventStore,
): Promise<{ readonly written: readonly string[]; readonly read: readonly string[] }> {
  const client = EventStoreDBClient.connectionString(process.env['EVENTSTORE_URL'] ?? '');
  const stream = `samples-${randomUUID()}`;
  const events = samples();
  try {
    await client.appendToStream(
      stream,
      events.map(({ type, data, metadata }) => jsonEvent({ type, data, metadata })),
    );
  } finally {
    await client.dispose();
  }
  const read: string[] = [];
  for await (const { type } of store.readAll('start', [stream])) read.push(type);
  return { written: events.map(({ type }) => type), read };
}
