import { type Mode } from '#domain/kernel';
import { type RailAccount } from './rail-floats.js';

/** A payout about which the rail is due to be asked. */
export interface DuePayoutQuery {
  readonly stream: string;
  readonly mode: Mode;
  readonly channel: string;
  readonly originatorConversationId: string;
  /** True if the payout is the reversal of a customer's payment; if absent, it is none. */
  readonly isReversal?: boolean;
  /** True for a question outside the schedule, caused by a report that settled nothing (PAY-38). */
  readonly isExtra: boolean;
  /** The number of questions of its kind so far. */
  readonly asked: number;
}

/** The rail's answer to a question, with the question's number. */
export interface PayoutAnswerNote {
  readonly attempt: number;
  /** `paid`, `declined:<code>`, `unresolved`, or `unresolved:<code>` if the rail gave an unknown code. */
  readonly answer: string;
}

/** A question that the rail took, or may have taken. */
export interface LastPayoutQuestion {
  readonly agoMs: number;
  readonly isAnswered: boolean;
}

/** The number of every extra question, which its answer brings back. Those of the schedule count from 1. */
export const extraAttempt = 0;

/**
 * The schedule of questions to the rail about payouts that it may have been sent.
 * - The rail is asked at RAIL_QUERY_DELAYS after the sending, then at the last gap for as long as nothing is known.
 * - After a decline, asking continues until the last delay, and until as much time has passed since the decline
 *   (PAY-30).
 * - Extra questions are separate from the schedule, so that their senders cannot use it up.
 *
 * The schedule survives restarts, and several workers share it.
 */
export abstract class PayoutQueries {
  /**
   * Returns the due questions about these rails' payouts: the longest due of each rail first, with the rails and their
   * modes in turns (RAIL-32).
   * @throws DependencyUnavailable
   */
  abstract due(rails: readonly RailAccount[], max: number): Promise<readonly DuePayoutQuery[]>;
  /**
   * Takes the right to ask, before the question is asked, and sets the time of the next question. Only one of two
   * workers gets `true`.
   */
  abstract lease(query: DuePayoutQuery): Promise<boolean>;
  /** It is certain that the rail was not asked. The schedule's question is due again in seconds, an extra one later. */
  abstract giveBack(query: DuePayoutQuery): Promise<void>;
  /**
   * Makes an extra question due: now, or after a pause that grows with each question. This lasts until one is answered,
   * or for as long as the last delay.
   * @throws DependencyUnavailable
   */
  abstract askExtra(stream: string): Promise<void>;
  /** Cancels the extra questions. @throws DependencyUnavailable */
  abstract extraAnswered(stream: string): Promise<void>;
  /**
   * Returns the answer to the question before this one, if it arrived early enough. It must be at least as old as half
   * of the gap between the two questions, or a minute if that is less. The reason is that the cause of one wrong answer
   * makes another wrong that arrives at the same time (ADR 0021).
   * @throws DependencyUnavailable
   */
  abstract answerBefore(stream: string, attempt: number): Promise<string | undefined>;
  /**
   * Returns the later of two questions: the last one of the schedule that was not given back, and the last extra one if
   * it was answered.
   * @throws DependencyUnavailable
   */
  abstract lastQuestion(stream: string): Promise<LastPayoutQuestion | undefined>;
  /** Records the answer. An older question's answer changes nothing. @throws DependencyUnavailable */
  abstract note(stream: string, note: PayoutAnswerNote): Promise<void>;
  /**
   * Marks the payout as fully known. If the view still lists it, it is asked about at the last gap and not as a new
   * payout.
   * @throws DependencyUnavailable
   */
  abstract settled(stream: string): Promise<void>;
}
