import { type Mode } from '#domain/kernel';

/** A status query that is due: number `attempt` about this collection, counted from 1. */
export interface DueQuery {
  readonly stream: string;
  readonly mode: Mode;
  /** The collection's own rail reference. */
  readonly railReference: string;
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
   * Pending ones before declined ones, the oldest first, the modes in turns.
   * @throws DependencyUnavailable
   */
  abstract due(modes: readonly Mode[], max: number): Promise<readonly DueQuery[]>;

  /**
   * The right to make the attempt, before it is sent: of two workers one alone gets `true`. It runs out after
   * a while, so that a worker that died is replaced.
   */
  abstract lease(attempt: QueryAttempt): Promise<boolean>;

  /** What the last attempt that was made came to; undefined where none was. @throws DependencyUnavailable */
  abstract lastOutcome(stream: string): Promise<string | undefined>;

  /** The attempt was made. @param outcome for whoever looks, such as `paid`, `declined:cancelled`, `unresolved` */
  abstract conclude(attempt: QueryAttempt, outcome: string): Promise<void>;

  /** The attempt does not count: it is due again in seconds. */
  abstract giveBack(attempt: QueryAttempt): Promise<void>;
}
