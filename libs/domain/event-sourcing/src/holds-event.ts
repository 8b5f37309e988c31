import { type EventPlace, type EventStore, UnreadableEvent } from './event-store.js';

/**
 * True if the log has the event at its place. An event with invalid data counts too, so that a reader whose last event
 * it was can continue.
 * @throws UnknownEventType; EventStoreUnavailable
 */
export async function holdsEvent(
  store: Pick<EventStore, 'readStream'>,
  { stream, revision, id }: Pick<EventPlace, 'stream' | 'revision' | 'id'>,
): Promise<boolean> {
  try {
    // Reads that event only: the stream may have a million newer ones.
    const [event] = await store.readStream(stream, revision, 1);
    return event?.revision === revision && event.id === id;
  } catch (error) {
    if (error instanceof UnreadableEvent) return error.place.id === id;
    throw error;
  }
}
