import { Injectable, Logger } from '@nestjs/common';
import { type Mode } from '#domain/kernel';
import { Metrics } from '#infra/runtime';
import { type PaymentListRail, PaymentListRails } from './payment-list-rails.js';
import { TakenWindow, type TimeRange } from './taken-window.js';

/** Records up to when each rail was asked. It survives restarts, and workers share it. */
export abstract class TakenHours {
  /**
   * Leases the time since the last question to the caller, for some minutes; undefined if it is shorter than an hour, or
   * another worker has it.
   */
  abstract due(rail: PaymentListRail): Promise<TimeRange | undefined>;

  /** Records up to when the rail was asked. The next question comes an hour later, and begins there. */
  abstract asked(
    rail: Pick<PaymentListRail, 'channel' | 'mode'>,
    hour: Pick<TimeRange, 'untilMs'>,
  ): Promise<void>;
}

/**
 * Asks each rail that can list its payments what it took in the last hour (REC-37). So a payment whose notice or callback
 * was lost is known within two hours. The daily question finds what the rail lists later. An answer without a payment
 * does not prove a quiet hour (RAIL-30), so the next question is about that time as well.
 */
@Injectable()
export class TakenHoursStep {
  private readonly log = new Logger('rail payment lists');
  private readonly hours;

  constructor(
    private readonly rails: PaymentListRails,
    private readonly taken: TakenHours,
    private readonly window: TakenWindow,
    metrics: Metrics,
  ) {
    this.hours = metrics.counter({
      name: 'rail_taken_hours_total',
      help: 'Questions about the last hour, by outcome: asked, untold (no payment was named), or why there is no answer',
      labels: ['channel', 'mode', 'outcome'],
    });
  }

  /** @param only limits the step to that mode's rails. @throws DependencyUnavailable */
  async step(only: Mode): Promise<'idle' | 'busy'> {
    for (const rail of this.rails.all().filter(({ mode }) => mode === only)) {
      const hour = await this.taken.due(rail);
      if (hour) await this.ask(rail, hour);
    }
    return 'idle';
  }

  /** A question without an answer is asked again when its lease ends, about a longer time. */
  private async ask(rail: PaymentListRail, hour: TimeRange): Promise<void> {
    const { channel, mode } = rail;
    const compared = await this.window.compareRail(rail, hour);
    this.hours.inc({ channel, mode, outcome: outcomeOf(compared) });
    if (compared.ok) await this.taken.asked(rail, { untilMs: compared.value.toldUntilMs });
    else
      this.log.warn({
        msg: 'the rail did not list what it took lately',
        channel,
        mode,
        why: compared.refusal,
      });
  }
}

function outcomeOf(compared: Awaited<ReturnType<TakenWindow['compareRail']>>): string {
  if (!compared.ok) return compared.refusal;
  return compared.value.untoldDays.length === 0 ? 'asked' : 'untold';
}
