import { Clock, concurrently, DependencyUnavailable } from '#domain/kernel';
import { payoutKeyOf } from '#domain/payouts';
import { Database } from '#infra/postgres';
import { openPayouts } from '#views/payouts';
import { Injectable, Logger } from '@nestjs/common';
import { RailWorkOptions } from '../rail-work-options.js';
import { PayoutsClient } from './payouts-client.js';

const maxAtOnce = 64;
const maxInFlight = 4;

/**
 * Sends payouts back to their approvers that were not started within PAYOUT_MAX_AGE of their approval (PAY-48). After
 * that time the approvers may no longer know what they approved, whatever caused the delay. The sender checks the age
 * too, in case this step is behind.
 */
@Injectable()
export class PayoutAgeStep {
  private readonly log = new Logger('payouts');
  /** The position after which the next page begins. */
  private after = 0n;

  constructor(
    private readonly database: Database,
    private readonly payouts: PayoutsClient,
    private readonly options: RailWorkOptions,
    private readonly clock: Clock,
  ) {}

  /** @throws DependencyUnavailable */
  async step(): Promise<'idle' | 'busy'> {
    const look = { limit: maxAtOnce, after: this.after };
    const olderThanMs = this.options.payoutMaxAgeMs;
    const open = await openPayouts(this.database, { ...look, step: 'approved', olderThanMs });
    const isFull = open.length === maxAtOnce;
    this.after = isFull ? (open.at(-1)?.position ?? 0n) : 0n;
    await concurrently(open, maxInFlight, ({ stream }) => this.expire(stream));
    return isFull ? 'busy' : 'idle';
  }

  private async expire(stream: string): Promise<void> {
    const key = payoutKeyOf(stream);
    if (!key) return;
    try {
      const done = await this.payouts.expire(key, this.clock.now());
      if (done.ok && done.value === 'expired')
        this.log.warn({ msg: 'a payout needs a new approval', stream, why: 'age' });
    } catch (error) {
      if (error instanceof DependencyUnavailable) throw error;
      this.log.error({ msg: 'an approval cannot be ended', stream, err: error });
    }
  }
}
