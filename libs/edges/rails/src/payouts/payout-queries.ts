import { Clock, concurrently, DependencyUnavailable, type Mode } from '#domain/kernel';
import { Injectable, Logger } from '@nestjs/common';
import { ExtraPace } from '../query/extra-pace.js';
import { QueryThrottle } from '../query/query-throttle.js';
import { type Asked } from '../rail-adapter.js';
import { PayoutQuestions } from './payout-questions.js';

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
   * Returns the due questions, the longest due first; only those of one mode if it is given.
   * @throws DependencyUnavailable
   */
  abstract due(max: number, mode?: Mode): Promise<readonly DuePayoutQuery[]>;
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

const maxAtOnce = 64;
const maxInFlight = 8;

/**
 * Asks the rail about payouts that it may have been sent and whose outcome is unknown. The answers arrive by callback.
 * Each question is leased before it is asked, since several workers run. While the rail takes no questions, all of its
 * mode wait (RAIL-19).
 */
@Injectable()
export class PayoutQueryStep {
  private readonly log = new Logger('payouts');
  /** The pace of extra questions, which anyone who has an address of a payout can cause. */
  private readonly pace = new ExtraPace();

  constructor(
    private readonly queries: PayoutQueries,
    private readonly questions: PayoutQuestions,
    private readonly clock: Clock,
    private readonly throttle: QueryThrottle,
  ) {}

  /** @param mode limits the step to that mode's payouts; both modes if omitted. @throws DependencyUnavailable */
  async step(mode?: Mode): Promise<'idle' | 'busy'> {
    const due = await this.queries.due(maxAtOnce, mode);
    // Questions that only another process can ask are left to it: a lease without a question would delay the next one.
    const askable = due.filter((query) => this.questions.canAsk(query));
    let taken = 0;
    await concurrently(askable, maxInFlight, async (query) => {
      if (await this.ask(query)) taken += 1;
    });
    return due.length === maxAtOnce && taken > 0 ? 'busy' : 'idle';
  }

  private async ask(query: DuePayoutQuery): Promise<boolean> {
    const { stream, channel, mode, isExtra } = query;
    const rail = { channel, mode, about: 'payouts' } as const;
    if (isExtra && !this.throttle.mayAskExtra(rail)) return false;
    if (isExtra && !this.pace.takesTurn(paceOf(query), this.clock.nowMs())) return false;
    try {
      const asked = await this.throttle.ask(rail, () => this.askLeased(query));
      return asked !== undefined && asked.kind !== 'not_asked';
    } catch (error) {
      if (error instanceof DependencyUnavailable) throw error;
      this.log.error({ msg: 'a payout cannot be asked about', stream, err: error });
      return false;
    }
  }

  /** Returns undefined if another worker asks. */
  private async askLeased(
    query: DuePayoutQuery,
  ): Promise<{ readonly kind: Asked; readonly why: 'not_taken' } | undefined> {
    if (!(await this.queries.lease(query))) return undefined;
    const { stream, originatorConversationId, isExtra } = query;
    const attempt = isExtra ? extraAttempt : query.asked + 1;
    const asked = await this.questions.ask(query, attempt);
    if (isExtra) this.pace.heard(paceOf(query), asked !== 'not_asked');
    this.log.log({ msg: 'asked about a payout', stream, originatorConversationId, asked });
    if (asked === 'not_asked') await this.queries.giveBack(query);
    return { kind: asked, why: 'not_taken' };
  }
}

function paceOf({ channel, mode }: DuePayoutQuery): string {
  return `${channel} ${mode}`;
}
