import { type Mode } from '#domain/kernel';

/** A payout about which the rail is to be asked now. */
export interface DuePayoutQuery {
  readonly stream: string;
  readonly mode: Mode;
  readonly channel: string;
  readonly originatorConversationId: string;
  /** Questions so far. */
  readonly asked: number;
}

/** What the rail answered to a question, by the question's number. */
export interface PayoutAnswerNote {
  readonly attempt: number;
  /** `paid`, `declined:<code>` or `unresolved`. */
  readonly answer: string;
}

/**
 * When the rail is asked about payouts that it may have been sent: at RAIL_QUERY_DELAYS after the sending, then at the
 * last gap for as long as nothing is known, and at once where something calls for it. It survives restarts, and several
 * workers share it.
 */
export abstract class PayoutQueries {
  /** The longest due first. @throws DependencyUnavailable */
  abstract due(max: number): Promise<readonly DuePayoutQuery[]>;
  /**
   * The right to ask, before it is asked, which also sets the time of the next question: of two workers one alone gets
   * `true`.
   */
  abstract lease(query: DuePayoutQuery): Promise<boolean>;
  /** It is certain that the rail was not asked: the question is due again in seconds. */
  abstract giveBack(query: DuePayoutQuery): Promise<void>;
  /** A question is due now, or some seconds after the one before. @throws DependencyUnavailable */
  abstract makeDue(stream: string): Promise<void>;
  /** The answer to the last question before this one that was answered. @throws DependencyUnavailable */
  abstract answerBefore(stream: string, attempt: number): Promise<string | undefined>;
  /** An older question's answer changes nothing. @throws DependencyUnavailable */
  abstract note(stream: string, note: PayoutAnswerNote): Promise<void>;
  /** Nothing is asked about the payout any more. @throws DependencyUnavailable */
  abstract forget(stream: string): Promise<void>;
}
