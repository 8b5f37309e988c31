import { type Minor } from '#domain/kernel';
import { daysBefore } from '#infra/runtime';
import { type DayFigure, outcomesOf, type Outcomes } from '#views/day-figures';

/** Days that the page covers, and as many before them, to compare with. */
export const spanDays = 30;

/** The sums of one span of days in one currency. */
export interface SpanFigures extends Outcomes {
  readonly collectedMinor: Minor;
  readonly collectedCount: bigint;
  readonly paidOutMinor: Minor;
  readonly paidOutCount: bigint;
}

/** The figures of one currency: this span, the one before it, and each day of this span. */
export interface HomeFigures {
  readonly now: SpanFigures;
  readonly before: SpanFigures;
  /** One for each day, oldest first. */
  readonly days: readonly DayFigures[];
}

export interface DayFigures {
  readonly day: string;
  readonly collectedMinor: Minor;
  readonly paidOutMinor: Minor;
  readonly paidOutCount: bigint;
  readonly completed: number;
  readonly failed: number;
  readonly pending: number;
}

/** @param days of this span and of the one before, oldest first */
export function homeFigures(
  figures: readonly DayFigure[],
  days: readonly string[],
  currency: string,
): HomeFigures {
  const own = figures.filter((figure) => figure.currency === currency);
  const [before, now] = [days.slice(0, -spanDays), days.slice(-spanDays)];
  return {
    now: spanFigures(own, now),
    before: spanFigures(own, before),
    days: now.map((day) =>
      dayFigures(
        own.filter((figure) => figure.day === day),
        day,
      ),
    ),
  };
}

function spanFigures(figures: readonly DayFigure[], days: readonly string[]): SpanFigures {
  const inSpan = figures.filter(({ day }) => days.includes(day));
  const [collected, paidOut] = [completed(inSpan, 'collection'), completed(inSpan, 'payout')];
  return {
    ...outcomesOf(inSpan, 'collection'),
    collectedMinor: sum(collected, ({ amountMinor }) => amountMinor),
    collectedCount: sum(collected, ({ count }) => count),
    paidOutMinor: sum(paidOut, ({ amountMinor }) => amountMinor),
    paidOutCount: sum(paidOut, ({ count }) => count),
  };
}

function dayFigures(figures: readonly DayFigure[], day: string): DayFigures {
  const collections = figures.filter(({ type }) => type === 'collection');
  const countOf = (status: DayFigure['status']): number =>
    Number(
      sum(
        collections.filter((figure) => figure.status === status),
        ({ count }) => count,
      ),
    );
  const paidOut = completed(figures, 'payout');
  return {
    day,
    collectedMinor: sum(completed(figures, 'collection'), ({ amountMinor }) => amountMinor),
    paidOutMinor: sum(paidOut, ({ amountMinor }) => amountMinor),
    paidOutCount: sum(paidOut, ({ count }) => count),
    completed: countOf('completed'),
    failed: countOf('failed'),
    pending: countOf('pending'),
  };
}

function completed(figures: readonly DayFigure[], type: DayFigure['type']): readonly DayFigure[] {
  return figures.filter((figure) => figure.type === type && figure.status === 'completed');
}

function sum(figures: readonly DayFigure[], of: (figure: DayFigure) => bigint): bigint {
  return figures.reduce((total, figure) => total + of(figure), 0n);
}

/** Fewer finished items than this have no percentage: one more or less would change it by five points. */
const fewestForRate = 20n;

/** The success rate in tenths of a percent; undefined for fewer than 20 finished items. */
export function rateOf({ completed: done, finished }: Outcomes): number | undefined {
  return finished < fewestForRate ? undefined : Number((done * 1000n + finished / 2n) / finished);
}

/** The change in whole percent; undefined if there is nothing to compare with. */
export function changeOf(now: bigint, before: bigint): bigint | undefined {
  return before <= 0n ? undefined : ((now - before) * 100n) / before;
}

/** The days that end with the last one, oldest first. @param last YYYY-MM-DD */
export function daysUntil(last: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => daysBefore(last, count - 1 - index));
}
