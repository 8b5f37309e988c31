import { Injectable } from '@nestjs/common';
import { collectionKeyOf } from '#domain/collections';
import { type DueInboxEntry } from './inbox.js';
import { CallbackKeys } from '../callback/callback-keys.js';
import { RailMessages } from '../callback/rail-messages.js';
import { openRailMessage, railMetadata, sealRailMessage } from '../callback/seal-rail-message.js';
import { type OpenedCallback } from './opened-callback.js';

/** Opens what waits sealed in the inbox. */
@Injectable()
export class OpenedCallbacks {
  constructor(
    private readonly keys: CallbackKeys,
    private readonly reports: RailMessages,
  ) {}

  /**
   * The rail's own bytes are kept here, too: the first attempt may have failed on just that.
   * @returns undefined where it is no callback
   * @throws UnopenableCiphertext, DependencyUnavailable
   */
  async open(entry: DueInboxEntry, ageMs: number): Promise<OpenedCallback | undefined> {
    const { keyring } = this.keys;
    const { id, channel, stream, sourceAddress } = entry;
    const bytes = openRailMessage(keyring, entry);
    const key = collectionKeyOf(stream);
    const callback = this.keys.rails.of(channel)?.readCallback(bytes);
    if (!key || !callback) return undefined;
    await this.reports.keep({ ...sealRailMessage(keyring, id, bytes), stream });
    const metadata = railMetadata(keyring, {
      channel,
      id,
      correlationId: id,
      bytes,
      sourceAddress,
    });
    return { key, channel, callback, entry, ageMs, metadata };
  }
}
