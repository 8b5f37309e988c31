import { type CollectionKey, collectionKeyOf } from '#domain/collections';
import { type CommandMetadata } from '#domain/event-sourcing';
import { SealedMessages } from '#domain/evidence';
import { Injectable } from '@nestjs/common';
import { type DueInboxEntry, type ToldPayment } from './inbox.js';
import { type Callback } from '../rail-adapter.js';
import { CallbackKeys } from '../callback/callback-keys.js';
import { openRailMessage } from '#shared/signing';
import { railEvidence, railMetadata } from '../callback/rail-messages.js';

/** The result of one try to apply a callback. */
export type Try =
  | { readonly kind: 'done'; readonly outcome: string; readonly told?: ToldPayment }
  | {
      readonly kind: 'again';
      readonly why: string;
      /** The pause before the next try; the schedule decides if it is absent. */
      readonly inMs?: number;
    };

/** The result for one entry, and whether the event store was certainly reached for it. */
export interface Tried {
  readonly result: Try;
  readonly reachedStore: boolean;
}

/** A callback from the inbox, opened and read. */
export interface OpenedCallback {
  readonly key: CollectionKey;
  /** The rail that called back. */
  readonly channel: string;
  readonly callback: Callback;
  readonly entry: DueInboxEntry;
  /** Time since it was received. */
  readonly ageMs: number;
  readonly metadata: CommandMetadata;
}

/** Opens the sealed entries of the inbox. */
@Injectable()
export class OpenedCallbacks {
  constructor(
    private readonly keys: CallbackKeys,
    private readonly messages: SealedMessages,
  ) {}

  /**
   * Stores the rail's own bytes here too, because the first attempt may have failed at exactly that.
   * @returns undefined if it is no callback
   * @throws UnopenableCiphertext, DependencyUnavailable
   */
  async open(entry: DueInboxEntry, ageMs: number): Promise<OpenedCallback | undefined> {
    const { keyring } = this.keys;
    const { id, channel, stream, sourceAddress } = entry;
    const bytes = openRailMessage(keyring, entry);
    const key = collectionKeyOf(stream);
    const callback = this.keys.rails.of(channel)?.readCallback(bytes);
    if (!key || !callback) return undefined;
    const message = railEvidence(keyring, { id, kind: 'callback', stream, bytes });
    const ownKey = await this.messages.keep(message);
    const metadata = railMetadata(keyring, {
      channel,
      id,
      correlationId: id,
      ownKey,
      bytes,
      sourceAddress,
    });
    return { key, channel, callback, entry, ageMs, metadata };
  }
}
