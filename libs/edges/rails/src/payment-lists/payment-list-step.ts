import { type Mode } from '#domain/kernel';
import { backoffMs, Metrics } from '#infra/runtime';
import { Injectable, Logger } from '@nestjs/common';
import { type TakenAnswer } from '../rail-adapter.js';
import { type DueDay, type EndedDay, TakenDays } from './taken-days.js';
import { PaymentListRails } from './payment-list-rails.js';
import { contentOf, isWithoutMoney } from './page-content.js';
import { TakenPayments } from './taken-payments.js';

const firstPauseMs = 60_000;
const maxPauseMs = 30 * 60_000;
/**
 * The longest pause between questions about a day that may have had no payments. There is time until the rail forgets
 * it.
 */
const maxQuietPauseMs = 4 * 3_600_000;

/**
 * Asks each rail that can list its payments, once a day, for yesterday's, page by page. A status query settles what it
 * can, a payment without a push is received (C2B-6), and the rest goes to people. For a push of ours, nothing is posted on
 * the rail's list alone (REC-20, REC-21).
 */
@Injectable()
export class PaymentListStep {
  private readonly log = new Logger('rail payment lists');
  private readonly asked;
  private readonly failures;
  /**
   * For each rail's mode, the content of the page before, so that a page that repeats forever is not asked for forever.
   */
  private readonly before = new Map<string, { readonly offset: number; readonly told: string }>();

  constructor(
    private readonly rails: PaymentListRails,
    private readonly days: TakenDays,
    private readonly payments: TakenPayments,
    metrics: Metrics,
  ) {
    this.asked = metrics.counter({
      name: 'rail_taken_days_total',
      help: 'Days about which the rail was asked; missed: it told nothing while it could; untold: it named no payment, and the ledger holds none',
      labels: ['channel', 'mode', 'outcome'],
    });
    this.failures = metrics.counter({
      name: 'rail_taken_failures_total',
      help: 'Questions what it took that the rail did not answer',
      labels: ['channel', 'mode', 'why'],
    });
  }

  /** @param only limits the step to that mode's days; both modes if omitted. @throws DependencyUnavailable */
  async step(only?: Mode): Promise<'idle' | 'busy'> {
    const rails = this.rails.all().filter(({ mode }) => only === undefined || mode === only);
    if (rails.length === 0) return 'idle';
    const { day, ended } = await this.days.due(rails);
    for (const each of ended) this.noteEnded(each);
    return day && (await this.ask(day)) ? 'busy' : 'idle';
  }

  private noteEnded({ channel, mode, day, outcome }: EndedDay): void {
    this.asked.inc({ channel, mode, outcome });
    if (outcome === 'missed')
      this.log.error({
        msg: 'the rail cannot be asked any more what it took',
        channel,
        mode,
        day,
      });
    else
      this.log.warn({
        msg: 'the rail told of no payment, and the ledger holds none of that day',
        channel,
        mode,
        day,
      });
  }

  /** @returns true if the rail answered */
  private async ask(day: DueDay): Promise<boolean> {
    const { channel, mode, fromMs, untilMs, offset } = day;
    const about = { channel, mode, day: day.day };
    const answer = await this.rails.ask(day, { fromMs, untilMs, offset });
    if (answer.kind === 'nothing_told') return this.nothingTold(day);
    if (offset === 0 && isEmpty(answer) && (await this.days.holdsMoney(day)) !== false)
      return this.nothingTold(day);
    if (answer.kind !== 'page') {
      this.failures.inc({ channel, mode, why: answer.kind });
      const pauseMs = backoffMs(day.attempt, firstPauseMs, maxPauseMs);
      this.log.warn({ msg: 'the rail did not tell what it took', ...about, pauseMs });
      await this.days.putOff(day, pauseMs);
      return false;
    }
    const isRepeated = this.isRepeated(day, answer);
    if (isRepeated) {
      this.failures.inc({ channel, mode, why: 'repeated_page' });
      this.log.error({ msg: 'the rail tells the same page again and again', ...about, offset });
    }
    const { unmatched } = await this.payments.judge(day, answer);
    const next = isRepeated ? undefined : answer.next;
    await this.days.asked(day, { payments: answer.payments.length, unmatched, next });
    if (next === undefined) {
      this.asked.inc({ channel, mode, outcome: 'asked' });
      this.log.log({ msg: 'the rail told what it took', ...about });
    }
    return true;
  }

  /**
   * Handles an answer without a payment, which does not prove a quiet day (RAIL-30): the rail's list may not know the
   * short code. If the ledger has money on that day, the answer is wrong.
   */
  private async nothingTold(day: DueDay): Promise<boolean> {
    const { channel, mode } = day;
    const about = { channel, mode, day: day.day };
    const held = await this.days.holdsMoney(day);
    const isWrong = held === true;
    this.failures.inc({ channel, mode, why: isWrong ? 'money_not_told' : 'nothing_told' });
    if (isWrong) {
      const msg =
        'the rail tells of no payment on a day of which the ledger holds money: is the short code registered for the list?';
      this.log.error({ msg, ...about });
    } else if (day.isForgottenSoon && day.offset === 0 && held === false) {
      await this.days.untold(day);
      this.noteEnded({ ...about, outcome: 'untold' });
      return true;
    }
    const pauseMs = backoffMs(day.attempt, firstPauseMs, isWrong ? maxPauseMs : maxQuietPauseMs);
    if (!isWrong) this.log.log({ msg: 'the rail told of no payment', ...about, pauseMs });
    await this.days.putOff(day, pauseMs, true);
    return false;
  }

  /**
   * True if another offset of the same day gave the same page before, so that the rail ignores offsets. The same offset
   * may be asked for again, if its page could not be recorded.
   */
  private isRepeated(
    { channel, mode, day, offset }: DueDay,
    page: Extract<TakenAnswer, { kind: 'page' }>,
  ): boolean {
    const name = `${channel} ${mode}`;
    const content = contentOf(page);
    const told = `${day} ${content}`;
    const before = this.before.get(name);
    this.before.set(name, { offset, told });
    return content !== '' && before?.told === told && before.offset < offset;
  }
}

function isEmpty(answer: TakenAnswer): boolean {
  return answer.kind === 'page' && isWithoutMoney(answer);
}
