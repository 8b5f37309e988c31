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

/** What a payout has waited for too long. */
type Waited = Exclude<FlagPayoutReason, 'duplicate_receipt'>;
/** `unheard`: so long that no question is waited for any more. */
type Look = Waited | 'unheard';

/** How long the answer to a question is waited for, which comes by callback. */
const answerMs = 60_000;
/** On top of the schedule's last gap, for the worker that is to ask. */
const marginMs = 5 * 60_000;
/** A rail that takes no question for so long keeps nobody from looking. */
const unheardMs = 86_400_000;

/**
 * Lists payouts for review of which nothing was heard for RAIL_REVIEW_AFTER, each after a question within the schedule's
 * last gap (PAY-31): after an outage of ours the rail knows what a person would have to find out. Lists those, too, for
 * which the rail's float was missing for PAYOUT_FLOAT_WAIT. They stay pending: each is flagged once, and a report that comes
 * later still settles it.
 */
@Injectable()
export class PayoutReviewStep {
  private readonly log = new Logger('payouts');
  /** Where the next look goes on: what was flagged stays in the view. */
  private readonly after: Record<Look, bigint> = {
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
    const started = (olderThanMs: number) => (look: PageOfPayouts) =>
      openPayouts(this.database, { ...look, step: 'started', olderThanMs });
    const isFull = [
      await this.flagEach('no_word_from_rail', started(reviewAfterMs), (stream) =>
        this.wasAskedLately(stream),
      ),
      await this.flagEach('unheard', started(reviewAfterMs + unheardMs)),
      await this.flagEach('float_missing', (look) =>
        payoutsWithoutFloat(this.database, { ...look, forMs: payoutFloatWaitMs }),
      ),
    ];
    return isFull.includes(true) ? 'busy' : 'idle';
  }

  /**
   * Whether the rail was asked within the schedule's last gap, and has answered or had the time to. Where it was not, an
   * extra question is called for.
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

  /** @returns whether there may be more */
  private async flagEach(
    look: Look,
    find: (page: PageOfPayouts) => Promise<OpenPayout[]>,
    isReady: (stream: string) => Promise<boolean> = () => Promise.resolve(true),
  ): Promise<boolean> {
    const open = await find({ limit: maxAtOnce, after: this.after[look] });
    const isFull = open.length === maxAtOnce;
    this.after[look] = isFull ? (open.at(-1)?.position ?? 0n) : 0n;
    const why = look === 'unheard' ? 'no_word_from_rail' : look;
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
