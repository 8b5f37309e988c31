import { DependencyUnavailable } from '#kernel';
import { type ReadBound } from './read-bound.js';

/** What every query selects from the checkpoint beside its own columns. */
export interface Servability {
  readonly fresh_at: Date | null;
}

/**
 * Whether the views may answer: they must have held the whole log once, and, where a bound is given, not
 * longer ago than it. An empty answer from views that are being built would be a lie.
 * @param bound READ_MODEL_MAX_AGE and the present, for what is shown to merchants
 * @throws DependencyUnavailable
 */
export function requireServable<Row extends Servability>(
  row: Row | undefined,
  bound?: ReadBound,
): Row {
  if (!row?.fresh_at) throw new DependencyUnavailable('read model', 'its first build is under way');
  if (bound && bound.nowMs - row.fresh_at.getTime() > bound.maxAgeMs)
    throw new DependencyUnavailable('read model', 'it is older than READ_MODEL_MAX_AGE');
  return row;
}
