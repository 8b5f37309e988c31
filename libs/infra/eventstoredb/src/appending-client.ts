import {
  type AppendResult,
  type EventStoreDBClient,
  jsonEvent,
  type JSONType,
} from '@eventstore/db-client';
import { type OpenAppendingClient } from './append-connection.js';
import { BatchStream } from './batch-stream.js';
import { GuardedClient } from './guarded-client.js';
import { type ProposedAppend } from './wire/batch-append-request.js';

/**
 * Appends with our own batch stream if the server supports one and the append fits into a message, and with the
 * package's own method otherwise.
 */
export function appendingClient(open: () => EventStoreDBClient): OpenAppendingClient {
  return (onBatchEnd) => {
    const guarded = new GuardedClient(open(), onBatchEnd);
    const batch = new BatchStream(guarded);
    return {
      ready: async () => {
        await guarded.ready();
        await batch.open();
      },
      append: (request) => batch.append(request) ?? appendByPackage(guarded.client, request),
      endCalls: () => guarded.endCalls(),
      close: () => guarded.close(),
    };
  };
}

function appendByPackage(
  client: EventStoreDBClient,
  { stream, expectedRevision, events }: ProposedAppend,
): Promise<AppendResult> {
  const data = events.map(({ id, type, data, metadata }) =>
    jsonEvent({
      id,
      type,
      data: JSON.parse(data) as JSONType,
      metadata: new Uint8Array(Buffer.from(metadata, 'utf8')),
    }),
  );
  return client.appendToStream(stream, data, { expectedRevision, requiresLeader: true });
}
