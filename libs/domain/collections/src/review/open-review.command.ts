import { Command } from '@nestjs/cqrs';
import { type Result } from '#domain/kernel';
import { type CommandMetadata } from '#domain/event-sourcing';
import { type CollectionKey } from '../collection.events.js';
import { type ResolveRefusal, type Resolved } from './resolve-review.command.js';
import { type FoundPayment } from './ruling.js';

/** `not_possible`: money is written down for it already, so its own review decides. */
export type OpenReviewRefusal = ResolveRefusal;

/**
 * An operator found the payment on the rail's statement before the collection was listed for review: lists it, and
 * proposes that it was paid. Safe to repeat.
 */
export class OpenReview extends Command<Result<Resolved, OpenReviewRefusal>> {
  constructor(
    readonly key: CollectionKey,
    readonly payment: FoundPayment,
    readonly metadata: CommandMetadata & { readonly reason: string },
  ) {
    super();
  }
}
