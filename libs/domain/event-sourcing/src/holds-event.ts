import { type EventPlace, type EventStore, UnreadableEvent } from './event-store.js';

/**
 * True if the log has the event at its place. An event whose data are invalid is there all the same: a reader that
 * noted it as its last one must be able to go on.
 * @throws UnknownEventType; EventStoreUnavailable
 */
export async function holdsEvent(
  store: Pick<EventStore, 'readStream'>,
  { stream, revision, id }: Pick<EventPlace, 'stream' | 'revision' | 'id'>,
): Promise<boolean> {
  try {
    // That event alone: a stream may have a million more since.
    const [event] = await store.readStream(stream, revision, 1);
    return event?.revision === revision && event.id === id;
  } catch (error) {
    if (error instanceof UnreadableEvent) return error.place.id === id;
    throw error;
  }
}
