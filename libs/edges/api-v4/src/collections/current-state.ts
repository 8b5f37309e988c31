import {
  collectionDecider,
  type CollectionEvent,
  type Initiated,
  viewOf,
} from '#domain/collections';
import { fold, type RecordedEvent } from '#domain/event-sourcing';

/** What an earlier create call came to, by its stream; undefined where there is none. */
export function currentState(
  history: readonly RecordedEvent<CollectionEvent>[],
): Initiated | undefined {
  const last = history.at(-1);
  const state = fold(collectionDecider, history);
  if (!last || state.status === 'none') return undefined;
  return { view: viewOf(state), position: last.position, existing: state.intent };
}
