import { type Instant } from '#domain/kernel';
import { addMonths, type CalendarDate, startOf } from './calendar.js';

/** A phase of V3's end. */
export type Phase = 'coexist' | 'encourage' | 'restrict' | 'retire';

/** A rule that a phase brings into force, for good. */
export type Rule =
  /** The outreach list names every merchant with V3 calls in 30 days. */
  | 'outreach'
  /** A merchant created since the rule began gets no V3 credential. */
  | 'new_merchants_v4_only'
  /** No merchant gets a V3 credential. */
  | 'no_new_credentials'
  /** RATE_LIMIT_V3_RESTRICTED applies per consumer key. */
  | 'rate_limit'
  /** Merchants whose customers still use SHA-1 links are flagged. */
  | 'flag_sha1_links'
  /** The operator may retire V3, on the conditions of `missingToRetire`. */
  | 'retirement_allowed';

interface Window {
  readonly phase: Phase;
  /** Calendar months from general availability, at 00:00 UTC. */
  readonly fromMonth: number;
  /** The window ends when this month begins; absent if it does not end. */
  readonly untilMonth?: number;
  readonly enforces: readonly Rule[];
}

/**
 * The deprecation schedule of the interface. No other code knows its months. The windows overlap. Every answer has the
 * headers in every phase, so they are not part of a phase's rules.
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

/** A window with its dates. */
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

/**
 * The phases whose window contains the instant. There may be several, since windows overlap, and none before general
 * availability.
 */
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

/** The day in the Sunset header. From then on V3 may be retired. */
export function sunsetDate(gaDate: CalendarDate): CalendarDate {
  return ruleBegins(gaDate, 'retirement_allowed');
}
