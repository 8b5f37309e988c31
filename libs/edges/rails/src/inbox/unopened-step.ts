import { Injectable, Logger } from '@nestjs/common';
import { collectionKeyOf } from '#domain/collections';
import {
  type Opening,
  type UnopenedCallback,
  CallbackKeys,
  ClaimedCheckouts,
  openUnopened,
  sealRailMessage,
  UnopenedCallbacks,
} from '#edges/rails';
import { Metrics } from '#infra/runtime';
import { openToken, UnopenableCiphertext } from '#shared/signing';
import { readCallback } from '../callback/callback-body.js';

const maxAtOnce = 16;

/**
 * Opens the callbacks whose token was under a key that the API's process did not know, as far as this worker has the
 * key, and puts them into the inbox. One whose token opens no collection was made up; it is dropped and counted.
 */
@Injectable()
export class UnopenedStep {
  private readonly log = new Logger('unopened callbacks');
  private readonly opened;

  constructor(
    private readonly callbacks: UnopenedCallbacks,
    private readonly keys: CallbackKeys,
    private readonly checkouts: ClaimedCheckouts,
    metrics: Metrics,
  ) {
    this.opened = metrics.counter({
      name: 'unopened_callbacks_opened_total',
      help: 'Callbacks under a key that the API did not know, by what the worker found in them',
      labels: ['outcome'],
    });
  }

  /** @throws DependencyUnavailable; the loop backs off */
  async step(): Promise<'idle' | 'busy'> {
    const { keyring } = this.keys;
    const { masterKeyIds: ofTokens, keyIds: ofCiphertexts } = keyring;
    const keys = { ofTokens, ofCiphertexts, max: maxAtOnce };
    const looked = await this.callbacks.move(keys, (callback) => this.open(callback));
    return looked === maxAtOnce ? 'busy' : 'idle';
  }

  private async open(callback: UnopenedCallback): Promise<Opening> {
    const opening = await this.read(callback);
    this.opened.inc({ outcome: opening ? 'inbox' : 'no_token' });
    return opening;
  }

  /** What the rail itself brought claims its checkout id, as where it is taken in at once. */
  private async read(callback: UnopenedCallback): Promise<Opening> {
    const { keyring } = this.keys;
    try {
      const { token, bytes, fromRail } = openUnopened(keyring, callback);
      const stream = openToken(keyring, token);
      const key = stream === undefined ? undefined : collectionKeyOf(stream);
      if (stream === undefined || !key) return undefined;
      const checkoutId = readCallback(bytes)?.railReference;
      if (fromRail[key.mode] && checkoutId !== undefined)
        await this.checkouts.claim({ mode: key.mode, checkoutId, stream });
      const { keyId, ciphertext } = sealRailMessage(keyring, callback.id, bytes);
      return { stream, keyId, ciphertext, trusted: fromRail[key.mode] };
    } catch (error) {
      if (!(error instanceof UnopenableCiphertext)) throw error;
      this.log.error({ msg: 'an unopened callback is damaged', id: callback.id, err: error });
      return undefined;
    }
  }
}
