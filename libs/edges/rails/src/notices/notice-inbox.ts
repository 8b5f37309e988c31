import { Injectable } from '@nestjs/common';
import { nextTryAfterOutageMs } from '../inbox/inbox-schedule.js';
import { type DueInboxEntry } from '../inbox/inbox.js';
import { type Tried, type Try } from '../inbox/opened-callbacks.js';
import { type TakenPayment } from '../rail-adapter.js';
import { JudgedNotices } from './judged-notices.js';
import { modeOfNotice } from './notice-entry.js';
import { OpenedNotices } from './opened-notices.js';
import { ReceiptQuestions } from './receipt-questions.js';
import { UnaskedPayments } from './unasked-payments.js';

/**
 * How long a notice waits that may be about a push: it names one of our codes, or no account at all. The push's own
 * callback brings the receipt within seconds, or a status query does.
 */
const pushWaitMs = 120_000;
/** Another worker is recording the same receipt. */
const heldGapMs = 1000;

/** Applies the inbox's notices. */
export abstract class Notices {
  /** @throws DependencyUnavailable, UnopenableCiphertext */
  abstract apply(entry: DueInboxEntry): Promise<Tried>;
}

/** Applies the rail's notices of payments without a push (C2B-2 to C2B-7, C2B-22). */
@Injectable()
export class NoticeInbox extends Notices {
  constructor(
    private readonly opened: OpenedNotices,
    private readonly unasked: UnaskedPayments,
    private readonly judged: JudgedNotices,
    private readonly receipts: ReceiptQuestions,
  ) {
    super();
  }

  override async apply(entry: DueInboxEntry): Promise<Tried> {
    const notice = this.opened.open(entry);
    if (notice.kind === 'no_payment') {
      this.receipts.answered(entry.channel, notice);
      return byViews({ kind: 'done', outcome: notice.why });
    }
    if (notice.kind === 'unfit') return byViews(await this.unfit(entry, notice));
    const { mode, payment } = notice;
    const standing = await this.receipts.standingOf(mode, payment);
    if (standing === 'known') return byViews({ kind: 'done', outcome: 'known' });
    if (standing === 'held_back') {
      const inMs = nextTryAfterOutageMs(entry.attempts);
      return byViews({ kind: 'again', why: 'merchant_quarantined', inMs });
    }
    // Both outcomes follow from the log: of the payment's own stream, or of the one that has its receipt.
    const received = await this.unasked.receiveNamed(notice.told);
    if (received === 'held') return byLog({ kind: 'again', why: 'receipt_held', inMs: heldGapMs });
    if (received === 'received') return byLog({ kind: 'done', outcome: received });
    const waitMs = pushWaitMs - entry.ageMs;
    if (waitMs > 0) return byViews({ kind: 'again', why: 'maybe_pushed', inMs: waitMs });
    const { missed, isRecorded } = await this.judged.judge(notice);
    if (missed) return byViews(leftForReview(missed.why, missed));
    return { result: { kind: 'done', outcome: 'settled' }, reachedStore: isRecorded };
  }

  /** Asks the rail about the receipt of a notice that is not its own, and leaves the notice to a person after that. */
  private async unfit(
    { channel, stream, ageMs }: DueInboxEntry,
    { why, payment }: Extract<ReturnType<OpenedNotices['open']>, { kind: 'unfit' }>,
  ): Promise<Try> {
    const mode = modeOfNotice(stream);
    if (why !== 'not_from_rail' || !payment || !this.receipts.canAsk({ channel, mode }))
      return leftForReview(why, payment);
    const { receipt } = payment;
    // A question posts nothing, so a quarantined merchant does not delay it (C2B-22).
    const standing = await this.receipts.standingOf(mode, payment);
    if (standing === 'known') return { kind: 'done', outcome: 'known' };
    const inMs = await this.receipts.ask({ channel, mode, receipt }, ageMs);
    return inMs === undefined
      ? leftForReview(why, payment)
      : { kind: 'again', why: 'receipt_asked', inMs };
  }
}

const byLog = (result: Try): Tried => ({ result, reachedStore: true });
/** Postgres alone was asked, or it is not certain that the event store was reached (C2B-17). */
const byViews = (result: Try): Tried => ({ result, reachedStore: false });

function leftForReview(
  why: string,
  payment?: Pick<TakenPayment, 'receipt' | 'amountMinor' | 'paidAt'>,
): Try {
  const outcome = `left_for_review: ${why}`;
  if (!payment) return { kind: 'done', outcome };
  const { receipt, amountMinor, paidAt } = payment;
  return { kind: 'done', outcome, told: { receipt, amountMinor, paidAt } };
}
