import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Loaded, Pipeline } from '#domain/event-sourcing';
import { type Collection, collectionDecider } from '../collection.js';
import {
  type CollectionEvent,
  type CollectionKey,
  collectionStream,
} from '../collection.events.js';

/** A collection as the log has it. If the reference is unknown, it has no events and the state `none`. */
export type FoundCollection = Loaded<Collection, CollectionEvent>;

/** Reads a collection from the leader, so it is never behind. */
export class FindCollection extends Query<FoundCollection> {
  constructor(readonly key: CollectionKey) {
    super();
  }
}

@QueryHandler(FindCollection)
export class FindCollectionHandler implements IQueryHandler<FindCollection> {
  constructor(private readonly pipeline: Pipeline) {}

  execute({ key }: FindCollection): Promise<FoundCollection> {
    return this.pipeline.load({ decider: collectionDecider, stream: collectionStream(key) });
  }
}
