import { Command } from '@nestjs/cqrs';
import { type CommandMetadata } from '#domain/event-sourcing';
import { type Result } from '#domain/kernel';
import { type CollectionKey } from '../collection.events.js';
import { type FlagReason } from './flag-collection.decide.js';

/** `flagged`: this command listed it for review. `unchanged`: there was no need to, or it is listed already. */
export type Flagging = 'flagged' | 'unchanged';

/** Lists a collection for review that what the worker can do has not settled; safe to repeat. */
export class FlagCollection extends Command<Result<Flagging, 'unknown_collection'>> {
  constructor(
    readonly key: CollectionKey,
    readonly why: FlagReason,
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}
