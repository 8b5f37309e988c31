import { type Mode } from '#domain/kernel';
import { type OverdueCollection } from '#views/rail-queries';

/** Which collections are pending though RAIL_REVIEW_AFTER has passed since their intent. */
export abstract class OverdueCollections {
  /**
   * Oldest first; a view that is behind may name some that are settled.
   * @param askable the modes whose rail takes questions
   * @throws DependencyUnavailable
   */
  abstract overdue(askable: readonly Mode[], max: number): Promise<readonly OverdueCollection[]>;
}
