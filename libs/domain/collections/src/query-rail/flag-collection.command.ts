import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { ok, type Result } from '#domain/kernel';
import { type CollectionKey, collectionStream } from '../collection.events.js';
import { decideFlagCollection, type FlagReason } from './flag-collection.decide.js';
import { collectionDecider } from '../collection.js';

/** `flagged`: this command listed it for review. `unchanged`: it is listed already, or need not be. */
export type Flagging = 'flagged' | 'unchanged';

/** Lists a collection for review if the worker cannot settle it; safe to repeat. */
export class FlagCollection extends Command<Result<Flagging, 'unknown_collection'>> {
  constructor(
    readonly key: CollectionKey,
    readonly why: FlagReason,
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

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
