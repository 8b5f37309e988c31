import { concurrently, DependencyUnavailable } from '#domain/kernel';
import { type FlagPayoutReason, payoutKeyOf } from '#domain/payouts';
import { Database } from '#infra/postgres';
import { Metrics } from '#infra/runtime';
import { type OpenPayout, openPayouts, payoutsWithoutFloat } from '#views/payouts';
import { Injectable, Logger } from '@nestjs/common';
import { RailWorkOptions } from '../rail-work-options.js';
import { PayoutsClient } from './payouts-client.js';

const maxAtOnce = 64;
const maxInFlight = 4;

/** What a payout has waited for too long. */
type Waited = Exclude<FlagPayoutReason, 'duplicate_receipt'>;

/**
 * Lists payouts for review of which nothing was heard for RAIL_REVIEW_AFTER, or for which the rail's float was missing
 * for PAYOUT_FLOAT_WAIT. They stay pending: each is flagged once, and a report that comes later still settles it.
 */
@Injectable()
export class PayoutReviewStep {
  private readonly log = new Logger('payouts');
  private readonly flagged;
  /** Where the next look goes on: what was flagged stays in the view. */
  private readonly after: Record<Waited, bigint> = {
    no_word_from_rail: 0n,
    float_missing: 0n,
  };

  constructor(
    private readonly database: Database,
    private readonly payouts: PayoutsClient,
    private readonly options: RailWorkOptions,
    metrics: Metrics,
  ) {
    this.flagged = metrics.counter({
      name: 'payouts_flagged_total',
      help: 'Payouts that a worker listed for review, by the reason',
      labels: ['why'],
    });
  }

  /** @throws DependencyUnavailable */
  async step(): Promise<'idle' | 'busy'> {
    const { reviewAfterMs, payoutFloatWaitMs } = this.options;
    const isFull = [
      await this.flagEach('no_word_from_rail', (look) =>
        openPayouts(this.database, { ...look, step: 'started', olderThanMs: reviewAfterMs }),
      ),
      await this.flagEach('float_missing', (look) =>
        payoutsWithoutFloat(this.database, { ...look, forMs: payoutFloatWaitMs }),
      ),
    ];
    return isFull.includes(true) ? 'busy' : 'idle';
  }

  /** @returns whether there may be more */
  private async flagEach(
    why: Waited,
    find: (look: { readonly limit: number; readonly after: bigint }) => Promise<OpenPayout[]>,
  ): Promise<boolean> {
    const open = await find({ limit: maxAtOnce, after: this.after[why] });
    const isFull = open.length === maxAtOnce;
    this.after[why] = isFull ? (open.at(-1)?.position ?? 0n) : 0n;
    await concurrently(open, maxInFlight, ({ stream }) => this.flag(stream, why));
    return isFull;
  }

  private async flag(stream: string, why: FlagPayoutReason): Promise<void> {
    const key = payoutKeyOf(stream);
    if (!key) return;
    try {
      const done = await this.payouts.flag(key, why);
      if (!done.ok || done.value !== 'flagged') return;
      this.flagged.inc({ why });
      this.log.warn({ msg: 'a payout is listed for review', stream, why });
    } catch (error) {
      if (error instanceof DependencyUnavailable) throw error;
      this.log.error({ msg: 'a payout cannot be flagged', stream, why, err: error });
    }
  }
}
