import { Injectable } from '@nestjs/common';
import { SealedMessages } from '#domain/evidence';
import { type Mode, msFromInstant } from '#domain/kernel';
import { Database } from '#infra/postgres';
import { dayAt, endOfDay } from '#infra/runtime';
import { openRailMessage } from '#shared/signing';
import { findStreamsByReceipt } from '#views/transactions';
import { CallbackKeys } from '../callback/callback-keys.js';
import { railEvidence, railMetadata } from '../callback/rail-messages.js';
import { type DueInboxEntry, type ToldPayment } from '../inbox/inbox.js';
import { type Try } from '../inbox/opened-callbacks.js';
import { type DueDay, TakenDays } from '../payment-lists/taken-days.js';
import { TakenPayments } from '../payment-lists/taken-payments.js';
import { type PaymentNotices, type TakenPayment } from '../rail-adapter.js';
import { NamedAccounts } from './named-accounts.js';
import { modeOfNotice } from './notice-entry.js';
import { type ToldUnasked, UnaskedPayments } from './unasked-payments.js';

/**
 * How long a notice waits that may be about a push: it names one of our codes, or no account at all. The push's own
 * callback brings the receipt within seconds, or a status query does.
 */
const pushWaitMs = 120_000;
/** Another worker is recording the same receipt. */
const heldGapMs = 1000;
const minuteMs = 60_000;

/** A notice from the inbox, opened and read. */
interface OpenedNotice {
  readonly entry: DueInboxEntry;
  readonly mode: Mode;
  readonly notices: PaymentNotices;
  readonly payment: TakenPayment;
  readonly bytes: Buffer;
}

/** Applies the inbox's notices. */
export abstract class Notices {
  /** @throws DependencyUnavailable, UnopenableCiphertext */
  abstract apply(entry: DueInboxEntry): Promise<Try>;
}

/** Applies the rail's notices of payments without a push (C2B-2 to C2B-7). */
@Injectable()
export class NoticeInbox extends Notices {
  constructor(
    private readonly keys: CallbackKeys,
    private readonly messages: SealedMessages,
    private readonly accounts: NamedAccounts,
    private readonly unasked: UnaskedPayments,
    private readonly taken: TakenPayments,
    private readonly days: TakenDays,
    private readonly database: Database,
  ) {
    super();
  }

  override async apply(entry: DueInboxEntry): Promise<Try> {
    const bytes = openRailMessage(this.keys.keyring, entry);
    const notices = this.keys.rails.of(entry.channel)?.notices;
    const notice = notices?.read(bytes);
    if (!notices || !notice) return leftForReview('no_notice');
    const { payment, shortCode } = notice;
    const mode = modeOfNotice(entry.stream);
    // Anyone may send a notice to an address that became known, and nothing in it proves that it is the rail's.
    if (!entry.trusted) return leftForReview('not_from_rail', payment);
    if (!notices.isOurs(mode, shortCode)) return leftForReview('other_short_code', payment);
    if (await this.isKnown(mode, payment)) return { kind: 'done', outcome: 'known' };
    const opened = { entry, mode, notices, payment, bytes };
    const named = await this.accounts.named(entry.channel, mode, payment);
    if (named) return this.receive(opened);
    const waitMs = pushWaitMs - entry.ageMs;
    return waitMs > 0 ? { kind: 'again', why: 'maybe_pushed', inMs: waitMs } : this.judge(opened);
  }

  /** True if an item has the receipt: a push's callback, the rail's list or an earlier notice brought it. */
  private async isKnown(mode: Mode, { receipt }: TakenPayment): Promise<boolean> {
    return (await findStreamsByReceipt(this.database, mode, receipt)).length > 0;
  }

  private async receive(opened: OpenedNotice): Promise<Try> {
    const received = await this.unasked.receive(this.toldBy(opened));
    return received === 'held'
      ? { kind: 'again', why: 'receipt_held', inMs: heldGapMs }
      : { kind: 'done', outcome: received };
  }

  /**
   * Treats the payment as one of the rail's list: it may be a push's, by its code or by number, amount and time. Without
   * a push it is received.
   */
  private async judge(opened: OpenedNotice): Promise<Try> {
    const { entry, mode, notices, payment } = opened;
    const day = dayOf(entry.channel, mode, notices, payment);
    const page = { kind: 'page', payments: [payment], unreadable: 0 } as const;
    const unmatched = await this.taken.judge(day, page, this.toldBy(opened));
    await this.days.keep(day, unmatched);
    const [left] = unmatched;
    return left ? leftForReview(left.why, payment) : { kind: 'done', outcome: 'settled' };
  }

  private toldBy({ entry, mode, payment, bytes }: OpenedNotice): ToldUnasked {
    const { id, channel, sourceAddress } = entry;
    const { keyring } = this.keys;
    return {
      channel,
      mode,
      payment,
      by: 'callback',
      prove: async (stream) => {
        const ownKey = await this.messages.keep(
          railEvidence(keyring, { id, kind: 'callback', stream, bytes }),
        );
        return railMetadata(keyring, {
          ...{ channel, id, correlationId: id, ownKey, bytes, sourceAddress },
        });
      },
    };
  }
}

/**
 * The views must hold the log up to the time of the payment, because a push comes before its payment. They count as
 * holding a time a minute after it.
 */
function dayOf(
  channel: string,
  mode: Mode,
  { timezone }: PaymentNotices,
  { paidAt }: TakenPayment,
): DueDay {
  const paidAtMs = msFromInstant(paidAt);
  const day = dayAt(paidAtMs, timezone);
  const dayEndsMs = msFromInstant(endOfDay(day, timezone));
  const range = { fromMs: paidAtMs, untilMs: paidAtMs - minuteMs, dayEndsMs };
  return { channel, mode, day, ...range, isForgottenSoon: false, offset: 0, attempt: 1 };
}

function leftForReview(why: string, payment?: TakenPayment): Try {
  const outcome = `left_for_review: ${why}`;
  return payment ? { kind: 'done', outcome, told: toldOf(payment) } : { kind: 'done', outcome };
}

function toldOf({ receipt, amountMinor, paidAt }: TakenPayment): ToldPayment {
  return { receipt, amountMinor, paidAt };
}
