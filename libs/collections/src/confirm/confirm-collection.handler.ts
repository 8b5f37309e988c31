import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ok, type Result } from '#kernel';
import { Pipeline } from '#event-sourcing';
import { collectionDecider } from '../collection.js';
import { collectionStream } from '../collection.events.js';
import { type CollectionView, viewOf } from '../collection-view.js';
import { ConfirmCollection } from './confirm-collection.command.js';
import { type ConfirmRefusal, decideConfirmCollection } from './confirm-collection.decide.js';

@CommandHandler(ConfirmCollection)
export class ConfirmCollectionHandler implements ICommandHandler<ConfirmCollection> {
  constructor(private readonly pipeline: Pipeline) {}

  async execute({
    key,
    word,
    metadata,
  }: ConfirmCollection): Promise<Result<CollectionView, ConfirmRefusal>> {
    const done = await this.pipeline.run(
      { decider: collectionDecider, stream: collectionStream(key), metadata },
      (state) => decideConfirmCollection(word, state, metadata.commitment),
    );
    return done.ok ? ok(viewOf(done.value.state)) : done;
  }
}
