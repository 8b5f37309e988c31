import { Command } from '@nestjs/cqrs';
import { type Result } from '#domain/kernel';
import { type CommandMetadata } from '#domain/event-sourcing';
import { type CollectionKey } from '../collection.events.js';
import { type CollectionView } from '../collection-view.js';
import { type ConfirmRefusal, type Contradiction } from './confirm-collection.decide.js';
import { type RailReport } from './rail-report.js';

/** What the collection is after the report. */
export interface Confirmed extends CollectionView {
  /** How the report is at odds with what was recorded before it. */
  readonly contradicts?: Contradiction;
}

/** Brings the rail's word, from a callback or a query, to the collection; safe to repeat. */
export class ConfirmCollection extends Command<Result<Confirmed, ConfirmRefusal>> {
  constructor(
    readonly key: CollectionKey,
    readonly report: RailReport,
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}
