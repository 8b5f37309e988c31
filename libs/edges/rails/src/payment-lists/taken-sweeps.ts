import { DependencyUnavailable } from '#domain/kernel';
import { PostBankSettlement, type PostRefusal } from '#domain/settlements';
import { Injectable, Logger } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { CallbackKeys } from '../callback/callback-keys.js';
import { listedMetadata } from '../callback/rail-messages.js';
import { type TakenSweep } from '../rail-adapter.js';
import { type DueDay } from './taken-days.js';

/**
 * `swept`: this call posted it. `swept_before`: it was posted already. `sweep_held_back`: it cannot be posted, and the
 * rail forgets it soon.
 */
type SweepOutcome = 'swept' | 'swept_before' | 'sweep_held_back' | `sweep_${PostRefusal}`;

/** Posts the sweeps in a rail's list (SWEEP-1). */
@Injectable()
export class TakenSweeps {
  private readonly log = new Logger('rail payment lists');

  constructor(
    private readonly bus: CommandBus,
    private readonly keys: CallbackKeys,
  ) {}

  /**
   * Safe to repeat. On a day that the rail forgets soon, a sweep that cannot be posted holds no payment back: the
   * statement shows it too.
   * @throws DependencyUnavailable on every other day
   */
  async post(day: DueDay, sweep: TakenSweep): Promise<SweepOutcome> {
    try {
      return await this.postOnce(day, sweep);
    } catch (error) {
      if (!day.isForgottenSoon || !(error instanceof DependencyUnavailable)) throw error;
      const { channel, mode } = day;
      const about = { channel, mode, receipt: sweep.receipt, err: error };
      this.log.error({ msg: 'a sweep to the bank could not be posted in time', ...about });
      return 'sweep_held_back';
    }
  }

  /** A time whose zone is not certain is left out, as for a payment. */
  private async postOnce(
    { channel, mode }: Pick<DueDay, 'channel' | 'mode'>,
    { receipt, amountMinor, currency, paidAt, isZoneUncertain }: TakenSweep,
  ): Promise<SweepOutcome> {
    const time = isZoneUncertain ? {} : { paidAt };
    const sweep = { channel, mode, currency, receipt, amountMinor, ...time };
    const metadata = listedMetadata(this.keys, channel, sweep);
    const posted = await this.bus.execute(new PostBankSettlement(sweep, 'list', metadata));
    if (posted.ok) return posted.value ? 'swept' : 'swept_before';
    this.log.error({
      msg: 'a sweep to the bank could not be posted',
      channel,
      mode,
      receipt,
      why: posted.refusal,
    });
    return `sweep_${posted.refusal}`;
  }
}
