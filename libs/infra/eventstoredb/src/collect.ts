import { EventStoreUnavailable } from '#domain/event-sourcing';
import { withDeadline } from '#infra/runtime';
import { ErrorType, type StreamingRead } from '@eventstore/db-client';
import { typeOf } from './failure.js';
import { type ReadLimits } from './reader.js';

/**
 * All of a bounded read, in order; empty for a stream that does not exist. The call is ended however the read
 * ends, and an error of the stream that comes after that has somebody who listens.
 * @throws what the client throws; DeadlineExceeded
 */
export async function collect<Item>(
  stream: StreamingRead<Item>,
  { deadlineMs, signal }: ReadLimits,
): Promise<Item[]> {
  stream.on('error', () => undefined);
  const abandon = (): void => {
    stream.destroy(new EventStoreUnavailable('the call was given up'));
  };
  let complete = false;
  try {
    if (signal?.aborted) abandon();
    signal?.addEventListener('abort', abandon, { once: true });
    const items = await withDeadline(drain(stream), deadlineMs, 'reading from the event store');
    complete = true;
    return items;
  } catch (error) {
    if (typeOf(error) === ErrorType.STREAM_NOT_FOUND) return [];
    throw error;
  } finally {
    signal?.removeEventListener('abort', abandon);
    if (!complete) {
      // Cancelling waits for the call to have begun; there may never be one.
      void stream.cancel().catch(() => undefined);
      stream.destroy();
    }
  }
}

async function drain<Item>(stream: StreamingRead<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of stream) items.push(item);
  return items;
}
