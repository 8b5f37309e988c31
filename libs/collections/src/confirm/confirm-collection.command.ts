import { Command } from '@nestjs/cqrs';
import { type Result } from '#kernel';
import { type CommandMetadata } from '#event-sourcing';
import { type CollectionKey } from '../collection.events.js';
import { type CollectionView } from '../collection-view.js';
import { type ConfirmRefusal } from './confirm-collection.decide.js';
import { type RailsWord } from './rails-word.js';

/** Brings the rail's word, from a callback or a query, to the collection; safe to repeat. */
export class ConfirmCollection extends Command<Result<CollectionView, ConfirmRefusal>> {
  constructor(
    readonly key: CollectionKey,
    readonly word: RailsWord,
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}
