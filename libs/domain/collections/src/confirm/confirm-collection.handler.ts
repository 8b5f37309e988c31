import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ok, type Result } from '#domain/kernel';
import { Pipeline } from '#domain/event-sourcing';
import { type Collection, collectionDecider } from '../collection.js';
import { collectionStream } from '../collection.events.js';
import { viewOf } from '../collection-view.js';
import { ConfirmCollection, type Confirmed } from './confirm-collection.command.js';
import {
  type ConfirmRefusal,
  contradictionOf,
  decideConfirmCollection,
} from './confirm-collection.decide.js';

@CommandHandler(ConfirmCollection)
export class ConfirmCollectionHandler implements ICommandHandler<ConfirmCollection> {
  constructor(private readonly pipeline: Pipeline) {}

  async execute({
    key,
    report,
    metadata,
  }: ConfirmCollection): Promise<Result<Confirmed, ConfirmRefusal>> {
    let before: Collection = collectionDecider.initial;
    const done = await this.pipeline.run(
      { decider: collectionDecider, stream: collectionStream(key), metadata },
      (state) => decideConfirmCollection(report, (before = state), metadata.commitment),
    );
    if (!done.ok) return done;
    const contradicts = contradictionOf(report, before);
    return ok({
      ...viewOf(done.value.state),
      ...(contradicts === undefined ? {} : { contradicts }),
    });
  }
}
