import { Injectable } from '@nestjs/common';
import { type RailReport, type Verdict } from '#domain/rails';
import { type PayoutReport } from '#domain/payouts';
import { CallbackKeys, purposeOf } from './callback-keys.js';
import { AccountReports } from '../balances/account-reports.js';
import { readPayoutReport } from '../payouts/read-payout-report.js';
import { CallbackRecords } from './callback-records.js';
import { DirectConfirmations } from './direct-confirmations.js';
import { type Arrival, railEvidence, railMetadata } from './rail-messages.js';
import {
  noticeEntryName,
  noticePurpose,
  railsNoticeName,
  receiptAnswerPurpose,
  untrustedPrefix,
} from '../notices/notice-entry.js';
import { sealRailMessage } from '#shared/signing';

/**
 * The outcome of a callback.
 * - `applied`, `inbox`: it is durable.
 * - `no_token`, `no_callback`: it changed nothing. A callback at a shared address names a push; if the views do not know
 *   the push, it changes nothing either.
 * - `unknown_key`: it changed nothing here; a process with the key may open it (UnknownKeyCallbacks).
 * - `lost`, `too_many`: it was not stored, and must not be acknowledged to the rail (RAIL-24).
 */
export type Reception =
  'applied' | 'inbox' | 'unknown_key' | 'no_token' | 'no_callback' | 'too_many' | 'lost';

export interface IncomingCallback extends Arrival {
  readonly token: string;
  readonly correlationId: string;
}

/** Receives callbacks by the rules of trust (RAIL-2 to RAIL-8), and makes them durable before it acknowledges them. */
@Injectable()
export class CallbackReceiver {
  constructor(
    private readonly confirmations: DirectConfirmations,
    private readonly keys: CallbackKeys,
    private readonly records: CallbackRecords,
    private readonly accounts: AccountReports,
  ) {}

  async receive(incoming: IncomingCallback): Promise<Reception> {
    const since = performance.now();
    const reading = this.keys.readToken(incoming.token);
    switch (reading.kind) {
      case 'collection':
        return this.receiveOfCollection({ ...incoming, since }, reading);
      case 'payout':
        return this.receiveOfPayout(incoming, reading);
      case 'float':
        return this.accounts.takeFloat(incoming.bytes, reading);
      case 'balance':
        return this.accounts.takeBalance(incoming.bytes, reading);
      case 'notice':
        return this.receiveNotice(incoming, reading);
      case 'receipt':
        return this.receiveReceiptAnswer(incoming, reading);
      case 'unknown_key':
        return 'unknown_key';
      case 'shared':
        return 'no_callback';
      case 'none':
        return 'no_token';
    }
  }

  /**
   * Stores the evidence first and appends the event that names it afterwards: nothing is posted on bytes that are not
   * durable.
   */
  private async receiveOfCollection(
    incoming: IncomingCallback & { readonly since: number },
    { rail, stream, key }: Extract<CallbackReading, { kind: 'collection' }>,
  ): Promise<Reception> {
    const { keyring, ids } = this.keys;
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
    // An untrusted sender's bytes go only to the inbox, which counts them. They apply nothing here, whatever their
    // code.
    const isDone =
      fromRail &&
      (await this.records.keepRaw(message)) &&
      !callback.isAmountUnreadable &&
      (await this.confirmations.isApplied(key, report, metadata));
    if (isDone && callback.verdict.kind === 'paid')
      this.confirmations.posted(key.mode, incoming.since);
    if (isDone && isIdentified(callback.verdict)) return 'applied';
    const { railReference } = callback;
    const claim = { channel, mode: key.mode, railReference, stream };
    if (fromRail && !(await this.records.claimReference(claim))) return 'lost';
    if (isDone) return 'applied';
    // If the report was applied already, the inbox repeats it, which changes nothing.
    const sealed = sealRailMessage(keyring, id, bytes);
    const entry = { ...sealed, channel, stream, sourceAddress, fromRail };
    return (await this.records.putIntoInbox(entry)) ? 'inbox' : 'lost';
  }

  /**
   * Applies a result from the rail's own addresses at once. Every other report needs a query or an earlier event first,
   * so it waits in the inbox for the worker.
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
    // Only the rail knows the address for answers to our queries.
    const fromRail = isRails || purposeOf(purpose)?.kind === 'answer';
    const sourceAddress = incoming.sourceAddress ?? 'unknown';
    const { bytes } = incoming;
    if (isRails && read.kind === 'result' && read.callback.verdict.kind !== 'unresolved') {
      const report: PayoutReport = { by: 'callback', ...read.callback, isTrusted: true };
      const message = railEvidence(keyring, { id, kind: 'result', stream, bytes });
      const { ownKey } = message;
      const metadata = railMetadata(keyring, { ...incoming, channel, id, ownKey });
      // Evidence first, as for a collection.
      if (!(await this.records.keepRaw(message))) return 'lost';
      if (await this.confirmations.isPayoutApplied(key, report, metadata, channel))
        return 'applied';
    }
    const sealed = sealRailMessage(keyring, id, bytes);
    const entry = { ...sealed, channel, stream, purpose, sourceAddress, fromRail };
    return (await this.records.putIntoInbox(entry)) ? 'inbox' : 'lost';
  }

  /** The worker records the payment, because the views say which account or push it belongs to. */
  private async receiveNotice(
    { bytes, sourceAddress }: IncomingCallback,
    reading: Extract<CallbackReading, { kind: 'notice' }>,
  ): Promise<Reception> {
    const { rail, mode } = reading;
    const { channel } = rail;
    const fromRail = rail.isOwnAddress(mode, sourceAddress);
    const stream = noticeEntryName(reading, { bytes, fromRail });
    if (stream === undefined) return 'no_callback';
    const prefix = untrustedPrefix(mode, channel);
    if (!fromRail && !(await this.records.hasRoomForOpen(prefix, stream))) return 'too_many';
    const sealed = sealRailMessage(this.keys.keyring, this.keys.ids.next(), bytes);
    const from = { sourceAddress: sourceAddress ?? 'unknown', fromRail };
    const entry = { ...sealed, channel, stream, purpose: noticePurpose, ...from };
    return (await this.records.putIntoInbox(entry)) ? 'inbox' : 'lost';
  }

  /** Only the rail knows the address for the answer to one question, so the worker believes it for a while (C2B-20). */
  private async receiveReceiptAnswer(
    { bytes, sourceAddress = 'unknown' }: IncomingCallback,
    { rail, mode, receipt, askedAtMs }: Extract<CallbackReading, { kind: 'receipt' }>,
  ): Promise<Reception> {
    const { channel, notices } = rail;
    if (!notices?.readReceiptAnswer(bytes)) return 'no_callback';
    const stream = railsNoticeName(mode, channel, receipt);
    const isRails = rail.isOwnAddress(mode, sourceAddress);
    if (!isRails && !(await this.records.hasRoomFor(stream))) return 'too_many';
    const sealed = sealRailMessage(this.keys.keyring, this.keys.ids.next(), bytes);
    const purpose = receiptAnswerPurpose(askedAtMs);
    const entry = { ...sealed, channel, stream, purpose, sourceAddress, fromRail: true };
    return (await this.records.putIntoInbox(entry)) ? 'inbox' : 'lost';
  }
}

type CallbackReading = ReturnType<CallbackKeys['readToken']>;

/**
 * True if an applied report needs no claim on its rail reference. A payment without a receipt is identified only by
 * that reference, so the claim is needed. If the rail gives the reference to another collection too, the claim leads to
 * a review (RAIL-25).
 */
function isIdentified(verdict: Verdict): boolean {
  return verdict.kind === 'declined' || (verdict.kind === 'paid' && verdict.receipt !== undefined);
}
