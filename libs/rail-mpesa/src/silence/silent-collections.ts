/** Which collections are pending though RAIL_REVIEW_AFTER has passed since their intent. */
export abstract class SilentCollections {
  /** Streams, oldest first; a view that is behind may name some that are settled. @throws DependencyUnavailable */
  abstract overdue(most: number): Promise<readonly string[]>;
}
