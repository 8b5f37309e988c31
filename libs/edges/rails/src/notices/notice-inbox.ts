import { Injectable } from '@nestjs/common';
import { Database } from '#infra/postgres';
import { findStreamsByReceipt } from '#views/transactions';
import { type DueInboxEntry } from '../inbox/inbox.js';
import { type Tried, type Try } from '../inbox/opened-callbacks.js';
import { type TakenPayment } from '../rail-adapter.js';
import { JudgedNotices } from './judged-notices.js';
import { type OpenedNotice, OpenedNotices } from './opened-notices.js';
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

/** Applies the rail's notices of payments without a push (C2B-2 to C2B-7). */
@Injectable()
export class NoticeInbox extends Notices {
  constructor(
    private readonly opened: OpenedNotices,
    private readonly unasked: UnaskedPayments,
    private readonly judged: JudgedNotices,
    private readonly database: Database,
  ) {
    super();
  }

  override async apply(entry: DueInboxEntry): Promise<Tried> {
    const notice = this.opened.open(entry);
    if (notice.kind === 'unfit') return byViews(leftForReview(notice.why, notice.payment));
    if (await this.isKnown(notice)) return byViews({ kind: 'done', outcome: 'known' });
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

  /** True if an item has the receipt: a push's callback, the rail's list or an earlier notice brought it. */
  private async isKnown({ mode, payment: { receipt } }: OpenedNotice): Promise<boolean> {
    return (await findStreamsByReceipt(this.database, mode, receipt)).length > 0;
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
