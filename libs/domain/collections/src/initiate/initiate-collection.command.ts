import { Command } from '@nestjs/cqrs';
import { type Minor, type Result } from '#domain/kernel';
import { type CommandMetadata, type Position } from '#domain/event-sourcing';
import { type Account } from '#domain/merchants';
import { type Origin } from '../collection.events.js';
import { type Intent } from '../collection.js';
import { type CollectionView } from '../collection-view.js';

/** A collection as an edge has validated it; the account is the proof that the merchant's was looked up. */
export interface CollectionDetails {
  readonly account: Account;
  /** `254` then 7 or 1 and eight digits. */
  readonly phone: string;
  readonly amountMinor: Minor;
  /** The rail that is to carry it. */
  readonly channel: string;
  readonly reference: string;
  readonly origin: Origin;
  readonly callbackUrl?: string;
}

/** `rail_rejected`: the intent stands recorded and the collection is `failed`. */
export type InitiateRefusal = 'invalid_amount' | 'invalid_currency' | 'rail_rejected';

export interface Initiated {
  readonly view: CollectionView;
  /** Where the newest event that the view speaks of stands in the log. */
  readonly position?: Position;
  /** Present where the reference existed before this request: what was asked for then. Nothing was pushed now. */
  readonly existing?: Intent;
}

/**
 * Records the intent, pushes to the phone, records the outcome. Where the reference exists already,
 * nothing is pushed and the current state is the answer.
 */
export class InitiateCollection extends Command<Result<Initiated, InitiateRefusal>> {
  constructor(
    readonly details: CollectionDetails,
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}
