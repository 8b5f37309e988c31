import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { EventStore, type RecordedEvent } from '#domain/event-sourcing';
import {
  type CollectionEvent,
  type CollectionKey,
  collectionStream,
} from '../collection.events.js';

/** A collection's history, read from the leader: never behind. Empty where the reference is unknown. */
export class FindCollection extends Query<readonly RecordedEvent<CollectionEvent>[]> {
  constructor(readonly key: CollectionKey) {
    super();
  }
}

@QueryHandler(FindCollection)
export class FindCollectionHandler implements IQueryHandler<FindCollection> {
  constructor(private readonly store: EventStore) {}

  execute({ key }: FindCollection): Promise<readonly RecordedEvent<CollectionEvent>[]> {
    return this.store.readStream<CollectionEvent>(collectionStream(key));
  }
}
