import { lateAnswerMs } from './daraja-account.js';

/** On top of the longest that a push's answer can take: for recording it, and for clocks that differ. */
const marginMs = 30_000;

/** What the worker's steps are told by the settings. */
export class RailWorkOptions {
  /**
   * A stranger's callback that names a checkout id which is not the collection's own waits this long: until
   * every push that was answered before has its answer recorded. Only then is it certain that the id is no
   * other collection's.
   */
  readonly strangersWaitMs: number;

  /**
   * @param queryDelaysMs RAIL_QUERY_DELAYS
   * @param pushTimeoutMs RAIL_PUSH_TIMEOUT
   */
  constructor(
    readonly queryDelaysMs: readonly number[],
    pushTimeoutMs: number,
  ) {
    this.strangersWaitMs = pushTimeoutMs + lateAnswerMs + marginMs;
  }
}
