import { dayAt } from '#infra/runtime';
import { type Viewer } from '../access/viewer.js';
import { type WallClock } from './list-parts.js';

/** The clock by which a page writes short times in a zone. */
export function clockOf(
  { timezone }: { readonly timezone: string },
  { language }: Pick<Viewer, 'language'>,
  nowMs: number,
): WallClock {
  return { timezone, language, today: dayAt(nowMs, timezone) };
}
