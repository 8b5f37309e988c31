import { type Instant } from '#domain/kernel';
import { type V3AdmissionRefusal } from '#domain/merchants';
import { type CalendarDate, startOf } from './calendar.js';
import { ruleBegins, rulesAt } from './schedule.js';

/** Why somebody gets no V3 credential. */
export type V3CredentialRefusal = 'v3_is_retired' | 'v3_takes_nobody_new' | 'new_merchants_v4_only';

/** What is asked: when, on which calendar, for a merchant registered when, with V3 already retired or not. */
export interface V3CredentialQuestion {
  readonly gaDate: CalendarDate;
  readonly now: Instant;
  readonly registeredAt: Instant;
  readonly retired: boolean;
}

/**
 * Whether a V3 credential may be issued: to nobody once V3 is retired or restricted, and before that to no
 * merchant that was registered when new merchants were V4-only already.
 * @returns undefined where it may
 */
export function v3CredentialRefusal(
  question: V3CredentialQuestion,
): V3AdmissionRefusal | undefined {
  const { gaDate, now, registeredAt, retired } = question;
  if (retired) return 'v3_is_retired';
  if (rulesAt(gaDate, now).includes('no_new_credentials')) return 'v3_takes_nobody_new';
  return registeredAt >= startOf(ruleBegins(gaDate, 'new_merchants_v4_only'))
    ? 'new_merchants_v4_only'
    : undefined;
}
