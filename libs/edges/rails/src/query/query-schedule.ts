import { type RailPayment } from '#domain/rails';
import { type AskableRail } from '#views/rail-queries';

/** A status query that is due, about the collection's own rail reference. `attempt` counts from 1. */
export interface DueQuery extends RailPayment {
  readonly stream: string;
  readonly attempt: number;
  /** The outcome of the attempt before; absent for the first. */
  readonly previous?: string;
}

export type QueryAttempt = Pick<DueQuery, 'stream' | 'attempt'>;

/**
 * The schedule of queries about collections. The rail is asked at RAIL_QUERY_DELAYS after the intent, with jitter, as
 * long as the collection is pending or declined: a decline does not end the queries. The schedule survives restarts,
 * and several workers share it.
 */
export abstract class QuerySchedule {
  /**
   * Returns pending collections before declined ones, the oldest first, with the rails and their modes in turns.
   * @throws DependencyUnavailable
   */
  abstract due(rails: readonly AskableRail[], max: number): Promise<readonly DueQuery[]>;

  /**
   * Takes the right to make the attempt, before it is sent. Only one of two workers gets `true`. The right expires
   * after a while, so that another worker can replace a dead one.
   */
  abstract lease(attempt: QueryAttempt): Promise<boolean>;

  /**
   * Returns the outcome of the last attempt. It is undefined if there was none, or if it was made within the last
   * minute: a fault of the rail may give two wrong answers in a row (ADR 0021).
   * @throws DependencyUnavailable
   */
  abstract lastOutcome(stream: string): Promise<string | undefined>;

  /**
   * Records that the attempt was made.
   * @param outcome a code for readers, such as `paid`, `declined:cancelled`, `unresolved`
   */
  abstract conclude(attempt: QueryAttempt, outcome: string): Promise<void>;

  /** The attempt does not count, and is due again in seconds. */
  abstract giveBack(attempt: QueryAttempt): Promise<void>;
}
