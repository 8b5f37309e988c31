import { type Mode, modes } from '#domain/kernel';
import { Metrics } from '#infra/runtime';
import { Injectable, Logger } from '@nestjs/common';
import { RailTable } from '../rail-adapter.js';
import { PayoutRails } from './payout-rails.js';
import { type RailAccount, RailFloats } from './rail-floats.js';

/** Asks each rail that pays out for its account's float. The loop's pause sets how often. */
@Injectable()
export class FloatStep {
  private readonly log = new Logger('rail float');
  private readonly minor;
  private readonly toldAt;

  constructor(
    private readonly rails: PayoutRails,
    private readonly table: RailTable,
    private readonly floats: RailFloats,
    metrics: Metrics,
  ) {
    const labels = ['channel', 'mode'] as const;
    this.minor = metrics.gauge({
      name: 'rail_float_minor',
      help: 'Last reported balance of the rail’s own account, in minor units; NaN if it is not known',
      labels,
    });
    this.toldAt = metrics.gauge({
      name: 'rail_float_told_at_seconds',
      help: 'When the rail was asked for its last reported balance, in Unix seconds; NaN if it is not known',
      labels,
    });
  }

  /** @param mode limits the step to that mode's account; both modes if omitted */
  async step(mode?: Mode): Promise<'idle'> {
    for (const account of this.accounts()) {
      if (mode !== undefined && account.mode !== mode) continue;
      const float = await this.floats.of(account);
      this.minor.set({ ...account }, Number(float?.minor ?? NaN));
      this.toldAt.set({ ...account }, (float?.asOfMs ?? NaN) / 1000);
      const asked = await this.rails.askForFloat(account);
      if (asked !== 'taken')
        this.log.warn({
          msg: 'the rail did not take the question for its float',
          ...account,
          asked,
        });
    }
    return 'idle';
  }

  private accounts(): readonly RailAccount[] {
    return this.table.all.flatMap(({ channel }) =>
      modes
        .filter((mode) => this.rails.payoutLimits(channel, mode))
        .map((mode) => ({ channel, mode })),
    );
  }
}
