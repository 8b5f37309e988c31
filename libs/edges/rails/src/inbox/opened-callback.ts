import { type CollectionKey } from '#domain/collections';
import { type CommandMetadata } from '#domain/event-sourcing';
import { type DueInboxEntry } from './inbox.js';
import { type Callback } from '../callback/callback.js';

/** What one try to apply a callback came to. */
export type Try =
  | { readonly kind: 'done'; readonly outcome: string }
  | {
      readonly kind: 'again';
      readonly why: string;
      /** The schedule says when, where this does not. */
      readonly inMs?: number;
    };

/** A callback out of the inbox, opened and read. */
export interface OpenedCallback {
  readonly key: CollectionKey;
  /** The rail that called back. */
  readonly channel: string;
  readonly callback: Callback;
  readonly entry: DueInboxEntry;
  /** Since it was received. */
  readonly ageMs: number;
  readonly metadata: CommandMetadata;
}
