import { Injectable } from '@nestjs/common';
import { Clock, type Mode, msFromInstant, ok, refuse, type Result } from '#domain/kernel';
import { dayAt, endOfDay } from '#infra/runtime';
import { type PaymentListRail, PaymentListRails } from './payment-list-rails.js';
import { contentOf } from './page-content.js';
import { TakenPayments } from './taken-payments.js';
import { type DueDay, TakenDays, type UnmatchedPayment } from './taken-days.js';

/** A time range about which rails are asked. */
export interface TimeRange {
  readonly fromMs: number;
  /** Exclusive. */
  readonly untilMs: number;
}

/** A time range of a mode's rails. */
export interface TakenRange extends TimeRange {
  readonly mode: Mode;
}

/** The comparison of a time range with the ledger. */
export interface ComparedRange {
  /** The number of payments that the rails named. */
  readonly payments: number;
  /** The number of entries that cannot be read as a payment. */
  readonly unreadable: number;
  /** Payments that the ledger does not have and no status query settled. They are kept. */
  readonly unmatched: readonly UnmatchedPayment[];
  /** Days of the range of which a rail named no payment, which does not prove that there was none (RAIL-30). */
  readonly untoldDays: readonly string[];
  /** The end of the last day, or part of one, of which the rail named payments; the range's start if it named none. */
  readonly toldUntilMs: number;
}

/**
 * `not_listed`: no rail of the mode can list its payments. `forgotten`: it does not list the beginning of the range any
 * more. `not_answered`: it gave no readable answer, so the range is to be asked about again.
 */
export type WindowRefusal = 'not_listed' | 'forgotten' | 'not_answered';

interface Found {
  payments: number;
  unreadable: number;
  readonly unmatched: UnmatchedPayment[];
  readonly untoldDays: string[];
  toldUntilMs: number;
}

/**
 * Asks a mode's rails at once for the payments of a time range, and treats each as one of the daily list (REC-36).
 * Repeating it changes nothing that is settled or kept.
 */
@Injectable()
export class TakenWindow {
  constructor(
    private readonly rails: PaymentListRails,
    private readonly payments: TakenPayments,
    private readonly days: TakenDays,
    private readonly clock: Clock,
  ) {}

  /** @throws DependencyUnavailable, for example while the views do not hold all of the log up to the range's end */
  async compare(range: TakenRange): Promise<Result<ComparedRange, WindowRefusal>> {
    const rails = this.rails.all().filter(({ mode }) => mode === range.mode);
    return rails.length === 0 ? refuse('not_listed') : this.compareAll(rails, range);
  }

  /** Does the same for one rail and mode. @throws DependencyUnavailable */
  compareRail(
    rail: PaymentListRail,
    range: TimeRange,
  ): Promise<Result<ComparedRange, WindowRefusal>> {
    return this.compareAll([rail], range);
  }

  private async compareAll(
    rails: readonly PaymentListRail[],
    range: TimeRange,
  ): Promise<Result<ComparedRange, WindowRefusal>> {
    const nowMs = this.clock.nowMs();
    if (rails.some(({ lookBackMs }) => range.fromMs < nowMs - lookBackMs))
      return refuse('forgotten');
    const found: Found = {
      payments: 0,
      unreadable: 0,
      unmatched: [],
      untoldDays: [],
      toldUntilMs: range.fromMs,
    };
    for (const rail of rails)
      for (const part of partsOf(rail, range)) {
        const answer = await this.comparePart(part, found);
        if (answer === 'not_answered') return refuse(answer);
        if (answer === 'untold') found.untoldDays.push(part.day);
        else found.toldUntilMs = Math.min(part.untilMs, range.untilMs);
      }
    return ok(found);
  }

  /** @returns `untold` if the rail named no payment, which does not prove that there was none (RAIL-30) */
  private async comparePart(
    part: DueDay,
    found: Found,
  ): Promise<'told' | 'untold' | 'not_answered'> {
    let before = '';
    let named = 0;
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const answer = await this.rails.ask(part, { ...part, offset });
      // Behind a page with payments it is an error of the rail's, not the end of the list.
      if (answer.kind === 'nothing_told') return offset === 0 ? 'untold' : 'not_answered';
      if (answer.kind !== 'page') return 'not_answered';
      const { payments, unreadable } = answer;
      // A rail that ignores offsets sends the same page for ever.
      const content = contentOf(answer);
      if (content === before && content !== '') break;
      before = content;
      const { unmatched } = await this.payments.judge(part, answer);
      await this.days.keep(part, unmatched);
      found.payments += payments.length;
      found.unreadable += unreadable;
      found.unmatched.push(...unmatched);
      named += payments.length + unreadable;
      offset = answer.next;
    }
    return named === 0 ? 'untold' : 'told';
  }
}

/** The rails' lists have whole seconds. */
const secondMs = 1000;

/** The parts of the range by the rail's days, because payments are kept and judged by day. */
function partsOf({ channel, mode, timezone }: PaymentListRail, range: TimeRange): DueDay[] {
  const untilMs = Math.ceil(range.untilMs / secondMs) * secondMs;
  const parts: DueDay[] = [];
  for (let fromMs = Math.floor(range.fromMs / secondMs) * secondMs; fromMs < untilMs;) {
    const day = dayAt(fromMs, timezone);
    const dayEndsMs = msFromInstant(endOfDay(day, timezone));
    const endMs = Math.min(dayEndsMs, untilMs);
    const asked = { channel, mode, day, fromMs, untilMs: endMs, dayEndsMs };
    parts.push({ ...asked, isForgottenSoon: false, offset: 0, attempt: 1 });
    fromMs = endMs;
  }
  return parts;
}
