import { EventStoreUnavailable } from '#domain/event-sourcing';
import { withDeadline } from '#infra/runtime';
import { type GuardedClient } from './guarded-client.js';
import { ReadCall } from './read-call.js';
import { type ReadLimits } from './reader.js';
import { type StoredEvent } from './wire/read-response.js';

/**
 * All events of a bounded read from the leader, in order; none if the stream does not exist. The call is ended however
 * the read ends.
 * @param request ReadReq, encoded
 * @throws the package's errors; DeadlineExceeded; EventStoreUnavailable if it was given up
 */
export async function collect(
  client: GuardedClient,
  request: Buffer,
  { deadlineMs, signal }: ReadLimits,
): Promise<StoredEvent[]> {
  const call = new ReadCall(client, { request, requiresLeader: true });
  const abandon = (): void => {
    call.cancel();
  };
  try {
    if (signal?.aborted) abandon();
    signal?.addEventListener('abort', abandon, { once: true });
    const events = await withDeadline(drain(call), deadlineMs, 'reading from the event store');
    if (signal?.aborted) throw new EventStoreUnavailable('the call was given up');
    return events;
  } finally {
    signal?.removeEventListener('abort', abandon);
    call.cancel();
  }
}

async function drain(call: ReadCall): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  for (let batch = await call.take(); batch; batch = await call.take())
    for (const message of batch)
      if (message.kind === 'event' && message.event) events.push(message.event);
  return events;
}
