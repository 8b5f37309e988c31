import { type EndWrong, readEnd } from '#desk/operators';
import { type Instant } from '#domain/kernel';
import { SystemClock } from '#infra/runtime';
import { Refused } from './refused.js';
import { settingsOrRefused } from './settings.js';

/** The rule that an end broke. */
export const endWrong = {
  end_form: 'must be a day, as 2027-03-01, or a number of days, as 90d',
  end_past: 'is not in the future: a day begins at 00:00 UTC. To end it now, use credential revoke',
  end_too_far: 'is more than ten years away',
} as const satisfies Record<EndWrong, string>;

/**
 * The instant of an end that `parseEnd` accepted, by the service's clock.
 * @throws Refused if it is in the past or too far away
 */
export function endAt(text: string): Instant {
  const { clockOffsetMs } = settingsOrRefused();
  const end = readEnd(text, new SystemClock(clockOffsetMs).nowMs());
  if (!end.ok) throw new Refused([`--expires ${text} ${endWrong[end.refusal]}`]);
  return end.value;
}
