import { type Instant, msFromInstant, ok, refuse, type Result } from '#domain/kernel';
import { type CalendarDate } from '../calendar.js';
import { rulesAt } from '../schedule.js';
import { type V3Retired } from '../retirement.events.js';
import { type Retirement } from '../retirement.js';

/** The number of days over which V3's usage is counted before it may be retired. */
export const usageWindowDays = 30;
/** The minimum number of days between the final notice and the end (interface, "Limits"). */
export const finalNoticeDays = 30;

/** The counters of the window: the 30 whole days (UTC) before today, and today so far. */
export interface V3Usage {
  /** V3 calls of merchants in the window. */
  readonly callsInWindow: number;
  /** The window's whole days that were not counted, or only partly, oldest first. */
  readonly uncountedDays: readonly CalendarDate[];
}

/** Everything that the decision depends on. The edge and the handler gather it. */
export interface RetirementFacts {
  readonly gaDate: CalendarDate;
  readonly now: Instant;
  /** V3_RETIRE_THRESHOLD. */
  readonly threshold: number;
  readonly usage: V3Usage;
  readonly noticedAt: Instant | undefined;
}

/** A condition that V3's end still lacks. */
export type MissingToRetire =
  | 'month_12_not_over'
  | 'no_final_notice'
  | 'final_notice_too_young'
  | 'counters_do_not_cover_30_days'
  | 'calls_not_below_threshold';

const dayMs = 86_400_000;

/** Returns all missing conditions at once, so that a person need not find them one by one. */
export function missingToRetire(facts: RetirementFacts): readonly MissingToRetire[] {
  const { gaDate, now, threshold, usage } = facts;
  return [
    ...(rulesAt(gaDate, now).includes('retirement_allowed') ? [] : ['month_12_not_over' as const]),
    ...missingNotice(facts),
    ...(usage.uncountedDays.length === 0 ? [] : ['counters_do_not_cover_30_days' as const]),
    ...(usage.callsInWindow < threshold ? [] : ['calls_not_below_threshold' as const]),
  ];
}

function missingNotice({ now, noticedAt }: RetirementFacts): readonly MissingToRetire[] {
  if (noticedAt === undefined) return ['no_final_notice'];
  const ageMs = msFromInstant(now) - msFromInstant(noticedAt);
  return ageMs >= finalNoticeDays * dayMs ? [] : ['final_notice_too_young'];
}

/** If V3 is retired already, adds nothing. */
export function decideRetireV3(
  facts: RetirementFacts,
  state: Retirement,
): Result<readonly V3Retired[], readonly MissingToRetire[]> {
  if (state.kind === 'retired') return ok([]);
  const missing = missingToRetire(facts);
  if (missing.length > 0) return refuse(missing);
  const { threshold, usage } = facts;
  return ok([{ type: 'V3Retired', data: { callsInWindow: usage.callsInWindow, threshold } }]);
}
