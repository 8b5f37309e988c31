import { Injectable } from '@nestjs/common';
import { type RailReport } from '#domain/collections';
import { type PayoutReport } from '#domain/payouts';
import { CallbackKeys, purposeOf } from './callback-keys.js';
import { RailFloats } from '../payouts/rail-floats.js';
import { readPayoutReport } from '../payouts/read-payout-report.js';
import { CallbackRecords } from './callback-records.js';
import { DirectConfirmations } from './direct-confirmations.js';
import { type Arrival, railEvidence, railMetadata, sealRailMessage } from './rail-messages.js';

/**
 * What became of a callback. `applied` and `inbox` are durable; `no_token` and `no_callback` changed nothing, nor did
 * `unknown_key`, which a process with the key may open (UnknownKeyCallbacks);
 * `lost` could not be kept, and the rail must not be told that it was; nor of one that is `too_many` (RAIL-24).
 */
export type Reception =
  'applied' | 'inbox' | 'unknown_key' | 'no_token' | 'no_callback' | 'too_many' | 'lost';

export interface IncomingCallback extends Arrival {
  readonly token: string;
  readonly correlationId: string;
}

/** Takes callbacks in by the rules of trust (RAIL-2 to RAIL-8): durable before they are acknowledged. */
@Injectable()
export class CallbackReceiver {
  constructor(
    private readonly confirmations: DirectConfirmations,
    private readonly keys: CallbackKeys,
    private readonly records: CallbackRecords,
    private readonly floats: RailFloats,
  ) {}

  async receive(incoming: IncomingCallback): Promise<Reception> {
    const { keyring, ids } = this.keys;
    const reading = this.keys.readToken(incoming.token);
    if (reading.kind === 'unknown_key') return 'unknown_key';
    if (reading.kind === 'none') return 'no_token';
    if (reading.kind === 'payout') return this.receiveOfPayout(incoming, reading);
    if (reading.kind === 'float') return this.receiveFloat(incoming, reading);
    const { rail, stream, key } = reading;
    const { channel } = rail;
    const callback = rail.readCallback(incoming.bytes);
    if (!callback) return 'no_callback';

    const id = ids.next();
    const fromRail = rail.isOwnAddress(key.mode, incoming.sourceAddress);
    if (!fromRail && !(await this.records.hasRoomFor(stream))) return 'too_many';
    const sourceAddress = incoming.sourceAddress ?? 'unknown';
    const { bytes } = incoming;
    const message = railEvidence(keyring, { id, kind: 'callback', stream, bytes });
    const report: RailReport = { by: 'callback', ...callback, fromRail, corroborated: false };
    const { ownKey } = message;
    const metadata = railMetadata(keyring, { ...incoming, channel, id, ownKey });
    // First the evidence, then the event that names it: nothing is posted on bytes that nobody has. An untrusted
    // sender's are kept by the inbox alone, which counts them: whatever its code, it is not believed here.
    const isDone =
      fromRail &&
      (await this.records.keepRaw(message)) &&
      !callback.isAmountUnreadable &&
      (await this.confirmations.isApplied(key, report, metadata));
    if (isDone && callback.verdict.kind !== 'unresolved') return 'applied';
    const { railReference } = callback;
    const claim = { channel, mode: key.mode, railReference, stream };
    if (fromRail && !(await this.records.claimReference(claim))) return 'lost';
    if (isDone) return 'applied';
    // Applied twice is applied once: the inbox repeats the same report, and history takes it as a repetition.
    const sealed = sealRailMessage(keyring, id, bytes);
    const entry = { ...sealed, channel, stream, sourceAddress, fromRail };
    return (await this.records.putIntoInbox(entry)) ? 'inbox' : 'lost';
  }

  /**
   * A result from the rail's own addresses is applied at once; all else, which needs a question or the one before it,
   * waits in the inbox for the worker.
   */
  private async receiveOfPayout(
    incoming: IncomingCallback,
    { rail, stream, key, purpose }: Extract<CallbackReading, { kind: 'payout' }>,
  ): Promise<Reception> {
    const { channel } = rail;
    const { keyring, ids } = this.keys;
    const read = readPayoutReport(rail, purpose, incoming.bytes);
    if (!read) return 'no_callback';
    const id = ids.next();
    const isRails = rail.isOwnAddress(key.mode, incoming.sourceAddress);
    if (!isRails && !(await this.records.hasRoomFor(stream))) return 'too_many';
    // Nobody but the rail was told where to answer a question of ours.
    const fromRail = isRails || purposeOf(purpose)?.kind === 'answer';
    const sourceAddress = incoming.sourceAddress ?? 'unknown';
    const { bytes } = incoming;
    if (isRails && read.kind === 'result' && read.callback.verdict.kind !== 'unresolved') {
      const report: PayoutReport = { by: 'callback', ...read.callback, isTrusted: true };
      const message = railEvidence(keyring, { id, kind: 'result', stream, bytes });
      const { ownKey } = message;
      const metadata = railMetadata(keyring, { ...incoming, channel, id, ownKey });
      // First the evidence, then the event that names it: nothing is posted on bytes that nobody has.
      if (!(await this.records.keepRaw(message))) return 'lost';
      if (await this.confirmations.isPayoutApplied(key, report, metadata)) return 'applied';
    }
    const sealed = sealRailMessage(keyring, id, bytes);
    const entry = { ...sealed, channel, stream, purpose, sourceAddress, fromRail };
    return (await this.records.putIntoInbox(entry)) ? 'inbox' : 'lost';
  }

  /** What the account holds is asked for again and again: nothing is lost where one answer is. */
  private async receiveFloat(
    { bytes }: IncomingCallback,
    { rail, mode, askedAtMs }: Extract<CallbackReading, { kind: 'float' }>,
  ): Promise<Reception> {
    const minor = rail.payoutReports?.readFloat(bytes);
    if (minor === undefined) return 'no_callback';
    await this.floats.tell({ channel: rail.channel, mode }, minor, askedAtMs);
    return 'applied';
  }
}

type CallbackReading = ReturnType<CallbackKeys['readToken']>;
