import { Injectable } from '@nestjs/common';
import { collectionKeyOf } from '#domain/collections';
import {
  type DueInboxEntry,
  CallbackKeys,
  RailMessages,
  type OpenedCallback,
  openRailMessage,
  railMetadata,
  sealRailMessage,
} from '#edges/rails';
import { readCallback } from '../callback/callback-body.js';

/** Opens what waits sealed in the inbox. */
@Injectable()
export class OpenedCallbacks {
  constructor(
    private readonly keys: CallbackKeys,
    private readonly reports: RailMessages,
  ) {}

  /**
   * Sees to it, too, that the raw words are kept: the first attempt may have failed on just that.
   * @returns undefined where it is no callback
   * @throws UnopenableCiphertext, DependencyUnavailable
   */
  async open(entry: DueInboxEntry, ageMs: number): Promise<OpenedCallback | undefined> {
    const { keyring } = this.keys;
    const { id, stream, sourceAddress } = entry;
    const bytes = openRailMessage(keyring, entry);
    const key = collectionKeyOf(stream);
    const callback = readCallback(bytes);
    if (!key || !callback) return undefined;
    await this.reports.keep({ ...sealRailMessage(keyring, id, bytes), stream });
    const metadata = railMetadata(keyring, { id, correlationId: id, bytes, sourceAddress });
    return { key, callback, entry, ageMs, metadata };
  }
}
