import { concurrently, DependencyUnavailable } from '#domain/kernel';
import { type FlagPayoutReason, payoutKeyOf } from '#domain/payouts';
import { Database } from '#infra/postgres';
import { type OpenPayout, openPayouts, payoutsWithoutFloat } from '#views/payouts';
import { Injectable, Logger } from '@nestjs/common';
import { RailWorkOptions } from '../rail-work-options.js';
import { PayoutQueries } from './payout-queries.js';
import { PayoutsClient } from './payouts-client.js';

interface PageOfPayouts {
  readonly limit: number;
  readonly after: bigint;
}

const maxAtOnce = 64;
const maxInFlight = 4;

/** The thing that a payout has waited for too long. */
type Waited = Exclude<FlagPayoutReason, 'duplicate_receipt'>;
/** `unheard`: so long that no question is waited for any more. */
type Cause = Waited | 'unheard';

/** How long to wait for the answer to a question, which arrives by callback. */
const answerMs = 60_000;
/** Added to the schedule's last gap, to give the worker time to ask. */
const marginMs = 5 * 60_000;
/** A rail that takes no question for so long no longer delays the review. */
const unheardMs = 86_400_000;

/**
 * Lists payouts for review. They stay pending: each is flagged once, and a later report still settles it.
 * - Payouts without a report for RAIL_REVIEW_AFTER, each after a question within the schedule's last gap (PAY-31).
 *   After an outage of ours the rail knows what a person would have to find out.
 * - Payouts for which the rail's float was missing for PAYOUT_FLOAT_WAIT.
 */
@Injectable()
export class PayoutReviewStep {
  private readonly log = new Logger('payouts');
  /** The position after which each cause is searched next. Flagged payouts stay in the view. */
  private readonly after: Record<Cause, bigint> = {
    no_word_from_rail: 0n,
    unheard: 0n,
    float_missing: 0n,
  };

  constructor(
    private readonly database: Database,
    private readonly payouts: PayoutsClient,
    private readonly queries: PayoutQueries,
    private readonly options: RailWorkOptions,
  ) {}

  /** @throws DependencyUnavailable */
  async step(): Promise<'idle' | 'busy'> {
    const { reviewAfterMs, payoutFloatWaitMs } = this.options;
    const started = (olderThanMs: number) => (page: PageOfPayouts) =>
      openPayouts(this.database, { ...page, step: 'started', olderThanMs });
    const isFull = [
      await this.flagEach('no_word_from_rail', started(reviewAfterMs), (stream) =>
        this.wasAskedLately(stream),
      ),
      await this.flagEach('unheard', started(reviewAfterMs + unheardMs)),
      await this.flagEach('float_missing', (page) =>
        payoutsWithoutFloat(this.database, { ...page, forMs: payoutFloatWaitMs }),
      ),
    ];
    return isFull.includes(true) ? 'busy' : 'idle';
  }

  /**
   * True if the rail was asked within the schedule's last gap, and has answered or had the time to answer. If it was
   * not asked, an extra question is requested.
   */
  private async wasAskedLately(stream: string): Promise<boolean> {
    const [last = 0, before = 0] = this.options.queryDelaysMs.slice(-2).reverse();
    const question = await this.queries.lastQuestion(stream);
    if (!question || question.agoMs > last - before + marginMs) {
      await this.queries.askExtra(stream);
      return false;
    }
    return question.isAnswered || question.agoMs >= answerMs;
  }

  /** @returns true if there may be more */
  private async flagEach(
    cause: Cause,
    find: (page: PageOfPayouts) => Promise<OpenPayout[]>,
    isReady: (stream: string) => Promise<boolean> = () => Promise.resolve(true),
  ): Promise<boolean> {
    const open = await find({ limit: maxAtOnce, after: this.after[cause] });
    const isFull = open.length === maxAtOnce;
    this.after[cause] = isFull ? (open.at(-1)?.position ?? 0n) : 0n;
    const why = cause === 'unheard' ? 'no_word_from_rail' : cause;
    await concurrently(open, maxInFlight, async ({ stream }) => {
      if (await isReady(stream)) await this.flag(stream, why);
    });
    return isFull;
  }

  private async flag(stream: string, why: FlagPayoutReason): Promise<void> {
    const key = payoutKeyOf(stream);
    if (!key) return;
    try {
      const done = await this.payouts.flag(key, why);
      if (!done.ok || done.value !== 'flagged') return;
      this.log.warn({ msg: 'a payout is listed for review', stream, why });
    } catch (error) {
      if (error instanceof DependencyUnavailable) throw error;
      this.log.error({ msg: 'a payout cannot be flagged', stream, why, err: error });
    }
  }
}
