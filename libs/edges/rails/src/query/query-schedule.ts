import { type RailPayment } from '#domain/collections';
import { type AskableRail } from '#views/rail-queries';

/** A status query that is due, by the collection's own rail reference: number `attempt` about it, counted from 1. */
export interface DueQuery extends RailPayment {
  readonly stream: string;
  readonly attempt: number;
  /** What the attempt before came to; absent for the first. */
  readonly previous?: string;
}

export type QueryAttempt = Pick<DueQuery, 'stream' | 'attempt'>;

/**
 * About which collections the rail is to be asked now: RAIL_QUERY_DELAYS after the intent, jitter added, as long as
 * they are pending or declined; a decline ends no asking. It survives restarts, and several workers share it.
 */
export abstract class QuerySchedule {
  /**
   * Pending ones before declined ones, the oldest first, the rails and their modes in turns.
   * @throws DependencyUnavailable
   */
  abstract due(rails: readonly AskableRail[], max: number): Promise<readonly DueQuery[]>;

  /**
   * The right to make the attempt, before it is sent: of two workers one alone gets `true`. It runs out after
   * a while, so that a worker that died is replaced.
   */
  abstract lease(attempt: QueryAttempt): Promise<boolean>;

  /**
   * What the last attempt that was made came to; undefined where none was, or where it was made within the last minute:
   * what makes one answer wrong makes another wrong that comes with it (ADR 0021). @throws DependencyUnavailable
   */
  abstract lastOutcome(stream: string): Promise<string | undefined>;

  /** The attempt was made. @param outcome for whoever looks, such as `paid`, `declined:cancelled`, `unresolved` */
  abstract conclude(attempt: QueryAttempt, outcome: string): Promise<void>;

  /** The attempt does not count: it is due again in seconds. */
  abstract giveBack(attempt: QueryAttempt): Promise<void>;
}
