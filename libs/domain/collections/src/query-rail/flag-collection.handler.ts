import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Pipeline } from '#domain/event-sourcing';
import { ok, type Result } from '#domain/kernel';
import { collectionDecider } from '../collection.js';
import { collectionStream } from '../collection.events.js';
import { FlagCollection, type Flagging } from './flag-collection.command.js';
import { decideFlagCollection } from './flag-collection.decide.js';

@CommandHandler(FlagCollection)
export class FlagCollectionHandler implements ICommandHandler<FlagCollection> {
  constructor(private readonly pipeline: Pipeline) {}

  async execute({
    key,
    why,
    metadata,
  }: FlagCollection): Promise<Result<Flagging, 'unknown_collection'>> {
    const done = await this.pipeline.run(
      { decider: collectionDecider, stream: collectionStream(key), metadata },
      (state) => decideFlagCollection(why, state),
    );
    if (!done.ok) return done;
    return ok(done.value.appended ? 'flagged' : 'unchanged');
  }
}
