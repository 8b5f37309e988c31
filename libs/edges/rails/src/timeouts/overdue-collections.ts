import { type AskableRail, type OverdueCollection } from '#views/rail-queries';

/** Which collections are pending though RAIL_REVIEW_AFTER has passed since their intent. */
export abstract class OverdueCollections {
  /**
   * Oldest first; a view that is behind may name some that are settled.
   * @param askable the rails' modes that take questions
   * @throws DependencyUnavailable
   */
  abstract overdue(
    askable: readonly AskableRail[],
    max: number,
  ): Promise<readonly OverdueCollection[]>;
}
