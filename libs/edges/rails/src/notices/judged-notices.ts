import { Injectable } from '@nestjs/common';
import { msFromInstant } from '#domain/kernel';
import { dayAt, endOfDay } from '#infra/runtime';
import { type DueDay, TakenDays, type UnmatchedPayment } from '../payment-lists/taken-days.js';
import { TakenPayments } from '../payment-lists/taken-payments.js';
import { type OpenedNotice } from './opened-notices.js';

const minuteMs = 60_000;

/** Treats a notice like a payment of the rail's list: it may be a push's, by its code or by number, amount and time. */
@Injectable()
export class JudgedNotices {
  constructor(
    private readonly taken: TakenPayments,
    private readonly days: TakenDays,
  ) {}

  /**
   * @returns `missed`: the payment if the ledger does not have it now; it is kept in the list of missed payments.
   *   `isRecorded`: true if it was recorded just now
   * @throws DependencyUnavailable, also while the views do not hold the time of the payment
   */
  async judge(
    notice: OpenedNotice,
  ): Promise<{ readonly missed: UnmatchedPayment | undefined; readonly isRecorded: boolean }> {
    const day = dayOf(notice);
    const page = { kind: 'page', payments: [notice.payment], unreadable: 0 } as const;
    const { unmatched, recorded } = await this.taken.judge(day, page, notice.told);
    await this.days.keep(day, unmatched);
    return { missed: unmatched[0], isRecorded: recorded > 0 };
  }
}

/**
 * The views must hold the log up to the time of the payment, because a push comes before its payment. They count as
 * holding a time a minute after it.
 */
function dayOf({ mode, notices: { timezone }, payment, told: { channel } }: OpenedNotice): DueDay {
  const paidAtMs = msFromInstant(payment.paidAt);
  const day = dayAt(paidAtMs, timezone);
  const dayEndsMs = msFromInstant(endOfDay(day, timezone));
  const range = { fromMs: paidAtMs, untilMs: paidAtMs - minuteMs, dayEndsMs };
  return { channel, mode, day, ...range, isForgottenSoon: false, offset: 0, attempt: 1 };
}
