import { Command } from '@nestjs/cqrs';
import { type Result } from '#domain/kernel';
import { type CommandMetadata } from '#domain/event-sourcing';
import { type CollectionKey } from '../collection.events.js';
import { type CollectionView } from '../collection-view.js';
import { type Proposal } from './review-proposals.js';
import { type Ruling, type RulingRefusal } from './ruling.js';

/** `receipt_taken`: another collection has it. `receipt_proposed`: another collection's open proposal names it. */
export type ResolveRefusal = RulingRefusal | 'receipt_taken' | 'receipt_proposed';

/** `proposed`: it waits for another operator. `decided`: it took effect. */
export type Resolved =
  | { readonly kind: 'proposed'; readonly proposal: Proposal }
  | { readonly kind: 'decided'; readonly view: CollectionView };

/** An operator rules on a collection under review. Metadata: the operator is the actor; the reason is needed. */
export class ResolveReview extends Command<Result<Resolved, ResolveRefusal>> {
  constructor(
    readonly key: CollectionKey,
    readonly ruling: Ruling,
    readonly metadata: CommandMetadata & { readonly reason: string },
  ) {
    super();
  }
}
