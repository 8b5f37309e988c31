import { collectionDecider, type CollectionEvent, type Initiated, viewOf } from '#collections';
import { fold, type RecordedEvent } from '#event-sourcing';

/** What an earlier create call came to, by its stream; undefined where there is none. */
export function currentState(
  history: readonly RecordedEvent<CollectionEvent>[],
): Initiated | undefined {
  const last = history.at(-1);
  if (!last) return undefined;
  return { view: viewOf(fold(collectionDecider, history)), position: last.position };
}
