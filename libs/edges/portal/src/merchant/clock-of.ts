import { dayAt } from '#infra/runtime';
import { type WallClock } from '../page/list-parts.js';
import { type Viewer } from '../access/viewer.js';
import { type Place } from './place.js';

/** The clock by which a place's pages write short times. */
export function clockOf(
  { timezone }: Pick<Place, 'timezone'>,
  { language }: Pick<Viewer, 'language'>,
  nowMs: number,
): WallClock {
  return { timezone, language, today: dayAt(nowMs, timezone) };
}
