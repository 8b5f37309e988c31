import {
  type MissingToRetire,
  usageWindowDays,
  sunsetDate,
  finalNoticeDays,
} from '#domain/v3-retirement';
import { type Standing } from './standing.js';
import { type MissingToMove } from '#views/v3-usage';

/** The obstacles to V3's end, one sentence each that says what to do. */
export function missingWords(
  missing: readonly MissingToRetire[],
  standing: Pick<Standing, 'terms' | 'usage' | 'log'>,
): readonly string[] {
  const { terms, usage, log } = standing;
  const days = usage.uncountedDays;
  const words: Readonly<Record<MissingToRetire, string>> = {
    month_12_not_over: `month 12 is not over: it is on ${sunsetDate(terms.gaDate)}, 00:00 UTC`,
    no_final_notice: `no final notice was recorded: npx pesapost v3 notice, then ${finalNoticeDays} days`,
    final_notice_too_young: `the final notice of ${log.notices[0]?.at ?? '?'} is younger than ${finalNoticeDays} days`,
    counters_do_not_cover_30_days: `V3's calls were not counted on ${days.length} of the ${usageWindowDays} days before today (${days.slice(0, 3).join(', ')}${days.length > 3 ? ', …' : ''}): wait until ${usageWindowDays} days in a row are counted`,
    calls_not_below_threshold: `merchants made ${usage.callsInWindow} V3 calls in ${usageWindowDays} days, and the threshold is ${terms.threshold}: npx pesapost v3 outreach names them`,
  };
  return missing.map((one) => words[one]);
}

/** The meaning of each obstacle, and what to do. */
export const missingToMoveWords: Readonly<Record<MissingToMove, string>> = {
  v4_credential_not_issued: 'has no V4 credential: issue one (credential issue --kind v4)',
  v4_not_in_use: 'has a V4 credential and made no collection with it in 30 days',
  checkout_key_not_issued:
    'sends customers by SHA-1 links and has no checkout key: issue one (credential issue --kind checkout)',
  sha1_links_still_used: 'still sends customers by SHA-1 links: sign them by HMAC-SHA256',
  v3_still_called: 'still calls V3',
};
