import { Injectable } from '@nestjs/common';
import { collectionKeyOf } from '#domain/collections';
import { type DueInboxEntry } from './inbox.js';
import { CallbackKeys } from '../callback/callback-keys.js';
import { RailMessages } from '../callback/rail-messages.js';
import { openRailMessage, railMetadata, sealRailMessage } from '../callback/seal-rail-message.js';
import { CollectionsClient } from '../collections-client.js';
import { type OpenedCallback } from './opened-callback.js';

/** Opens what waits sealed in the inbox. */
@Injectable()
export class OpenedCallbacks {
  constructor(
    private readonly keys: CallbackKeys,
    private readonly collections: CollectionsClient,
    private readonly reports: RailMessages,
  ) {}

  /**
   * The rail's own bytes are kept here, too: the first attempt may have failed on just that.
   * @returns undefined where it is no callback
   * @throws UnopenableCiphertext, DependencyUnavailable
   */
  async open(entry: DueInboxEntry, ageMs: number): Promise<OpenedCallback | undefined> {
    const { keyring } = this.keys;
    const { id, stream, sourceAddress } = entry;
    const bytes = openRailMessage(keyring, entry);
    const key = collectionKeyOf(stream);
    const rail = key && (await this.collections.railOf(key));
    const callback = rail?.readCallback(bytes);
    if (!rail || !callback) return undefined;
    const { channel } = rail;
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
