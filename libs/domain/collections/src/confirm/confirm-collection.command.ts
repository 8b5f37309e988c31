import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ok, type Result } from '#domain/kernel';
import { type CommandMetadata, Pipeline, traceIn } from '#domain/event-sourcing';
import { type RailReport } from '#domain/rails';
import { type CollectionKey, collectionStream } from '../collection.events.js';
import { type Collection, collectionDecider, type CollectionView, viewOf } from '../collection.js';
import {
  type ConfirmRefusal,
  type Contradiction,
  contradictionOf,
  decideConfirmCollection,
} from './confirm-collection.decide.js';

/** The collection after the report. */
export interface Confirmed extends CollectionView {
  /** The contradiction between the report and an earlier one. */
  readonly contradicts?: Contradiction;
  /** The trace that the report's events belong to, if it is recorded. */
  readonly traceparent?: string;
}

/** Applies a report of the rail, from a callback or a query, to its collection; safe to repeat. */
export class ConfirmCollection extends Command<Result<Confirmed, ConfirmRefusal>> {
  constructor(
    readonly key: CollectionKey,
    readonly report: RailReport,
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

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
    const { state } = done.value;
    const contradicts = contradictionOf(report, before);
    return ok({
      ...viewOf(state),
      ...(contradicts === undefined ? {} : { contradicts }),
      ...traceIn({ traceparent: collectionDecider.traceOf?.(state) }),
    });
  }
}
