import { type Instant } from '#domain/kernel';
import { addMonths, type CalendarDate, startOf } from './calendar.js';

/** A window of V3's end. */
export type Phase = 'coexist' | 'encourage' | 'restrict' | 'retire';

/** What a phase brings into force, for good. */
export type Rule =
  /** The outreach list names every merchant with V3 calls in 30 days. */
  | 'outreach'
  /** A merchant created since the rule began gets no V3 credential. */
  | 'new_merchants_v4_only'
  /** Nobody gets a V3 credential. */
  | 'no_new_credentials'
  /** RATE_LIMIT_V3_RESTRICTED holds per consumer key. */
  | 'rate_limit'
  /** Merchants whose customers still come by SHA-1 links are flagged. */
  | 'flag_sha1_links'
  /** The operator may retire V3, on the conditions of `missingToRetire`. */
  | 'retirement_allowed';

interface Window {
  readonly phase: Phase;
  /** Calendar months from general availability, at 00:00 UTC. */
  readonly fromMonth: number;
  /** The window ends as this month begins; absent: it does not end. */
  readonly untilMonth?: number;
  readonly enforces: readonly Rule[];
}

/**
 * The deprecation schedule of the interface, and the only place that knows its months. The windows overlap. The
 * headers are on every answer, whatever the phase, so they are no rule of one.
 */
const windows: readonly Window[] = [
  { phase: 'coexist', fromMonth: 0, untilMonth: 6, enforces: [] },
  {
    phase: 'encourage',
    fromMonth: 3,
    untilMonth: 9,
    enforces: ['outreach', 'new_merchants_v4_only'],
  },
  {
    phase: 'restrict',
    fromMonth: 9,
    untilMonth: 12,
    enforces: ['no_new_credentials', 'rate_limit', 'flag_sha1_links'],
  },
  { phase: 'retire', fromMonth: 12, enforces: ['retirement_allowed'] },
];

/** A window with its days. */
export interface DatedWindow {
  readonly phase: Phase;
  readonly from: CalendarDate;
  /** The first day after it. */
  readonly until?: CalendarDate;
  readonly enforces: readonly Rule[];
}

/** @param gaDate V4_GA_DATE */
export function datedWindows(gaDate: CalendarDate): readonly DatedWindow[] {
  return windows.map(({ phase, fromMonth, untilMonth, enforces }) => ({
    phase,
    from: addMonths(gaDate, fromMonth),
    ...(untilMonth === undefined ? {} : { until: addMonths(gaDate, untilMonth) }),
    enforces,
  }));
}

/** The phases whose window the instant is in, several where they overlap; none before general availability. */
export function phasesAt(gaDate: CalendarDate, now: Instant): readonly Phase[] {
  return datedWindows(gaDate)
    .filter(({ from, until }) => startOf(from) <= now && !(until && startOf(until) <= now))
    .map(({ phase }) => phase);
}

/** The rules in force: each from its phase's first instant on, for good. */
export function rulesAt(gaDate: CalendarDate, now: Instant): readonly Rule[] {
  return datedWindows(gaDate)
    .filter(({ from }) => startOf(from) <= now)
    .flatMap(({ enforces }) => enforces);
}

/** The day on which a rule comes into force. */
export function ruleBegins(gaDate: CalendarDate, rule: Rule): CalendarDate {
  const window = datedWindows(gaDate).find(({ enforces }) => enforces.includes(rule));
  if (!window) throw new TypeError(`no phase enforces ${rule}`);
  return window.from;
}

/** The day that the Sunset header names: from then on V3 may be gone. */
export function sunsetDate(gaDate: CalendarDate): CalendarDate {
  return ruleBegins(gaDate, 'retirement_allowed');
}
