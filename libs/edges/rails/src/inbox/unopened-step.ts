import { Injectable, Logger } from '@nestjs/common';
import { type Opening, type UnopenedCallback, UnopenedCallbacks } from '#records/rails';
import { openUnopened } from '../callback/unopened-callbacks.js';
import { Metrics } from '#infra/runtime';
import { sealRailMessage, UnopenableCiphertext } from '#shared/signing';
import { CallbackKeys, purposeOf } from '../callback/callback-keys.js';
import { noticeEntryName, noticePurpose } from '../notices/notice-entry.js';
import { NamedPushes } from '../shared-address/named-pushes.js';
import { ClaimedReferences } from './rail-reference-claims.js';

const maxAtOnce = 16;

/** Reads the tokens of opened callbacks. */
@Injectable()
export class OpenedTokens {
  constructor(
    readonly keys: CallbackKeys,
    private readonly pushes: NamedPushes,
  ) {}

  /** Reads the token. One of a shared address counts as that of the push which the callback names (AIR-7). */
  async read(token: string, bytes: Buffer) {
    const reading = this.keys.readToken(token);
    if (reading.kind !== 'shared') return reading;
    const own = await this.pushes.tokenFor(reading, bytes);
    return own === undefined ? reading : this.keys.readToken(own);
  }
}

/**
 * Opens callbacks whose token was under a key that the API's process did not know, as far as this worker has the key,
 * and puts them into the inbox. If a token opens no collection, its callback was made up; it is dropped and counted.
 */
@Injectable()
export class UnopenedStep {
  private readonly log = new Logger('unopened callbacks');
  private readonly opened;

  constructor(
    private readonly callbacks: UnopenedCallbacks,
    private readonly tokens: OpenedTokens,
    private readonly claims: ClaimedReferences,
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
    const { keyring } = this.tokens.keys;
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

  /** Reads the opened callback. One that the rail itself sent claims its rail reference, as on direct receipt. */
  private async read(callback: UnopenedCallback): Promise<Opening> {
    const { keyring } = this.tokens.keys;
    try {
      const { token, bytes, fromRail } = openUnopened(keyring, callback);
      const reading = await this.tokens.read(token, bytes);
      if (reading.kind === 'payout') {
        const { stream, purpose, rail, key } = reading;
        const trusted = fromRail[key.mode] || purposeOf(purpose)?.kind === 'answer';
        const { keyId, ciphertext } = sealRailMessage(keyring, callback.id, bytes);
        return { channel: rail.channel, stream, purpose, keyId, ciphertext, trusted };
      }
      if (reading.kind === 'notice') {
        const { rail, mode } = reading;
        const trusted = fromRail[mode];
        const stream = noticeEntryName(reading, { bytes, fromRail: trusted });
        if (stream === undefined) return undefined;
        const { keyId, ciphertext } = sealRailMessage(keyring, callback.id, bytes);
        return {
          channel: rail.channel,
          stream,
          purpose: noticePurpose,
          keyId,
          ciphertext,
          trusted,
        };
      }
      // The worker asks for the float again anyway, so an old answer has no use.
      if (reading.kind !== 'collection') return undefined;
      const { rail, stream, key } = reading;
      const { channel } = rail;
      const railReference = rail.readCallback(bytes)?.railReference;
      // If this rail cannot read the body, the trusted address was another rail's.
      const trusted = fromRail[key.mode] && railReference !== undefined;
      const { mode } = key;
      if (trusted)
        await this.claims.claim({ channel, mode, railReference, stream, isBrought: true });
      const { keyId, ciphertext } = sealRailMessage(keyring, callback.id, bytes);
      return { channel, stream, keyId, ciphertext, trusted };
    } catch (error) {
      if (!(error instanceof UnopenableCiphertext)) throw error;
      this.log.error({ msg: 'an unopened callback is damaged', id: callback.id, err: error });
      return undefined;
    }
  }
}
