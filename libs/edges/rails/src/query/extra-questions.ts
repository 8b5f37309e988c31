import { type QueryOutcome, type RailPayment } from '#domain/rails';
import { Clock } from '#domain/kernel';
import { Injectable } from '@nestjs/common';
import { ExtraPace } from './extra-pace.js';
import { RailQuestions } from './rail-questions.js';

/**
 * The extra questions about collections so far. An untrusted sender's callback causes them, and they are separate from
 * the schedule (RAIL-23). The count survives restarts, and several workers share it.
 */
export abstract class ExtraQueries {
  /**
   * Takes the right to ask an extra question about the collection now.
   * @returns 0 if it may be asked; else the milliseconds until it may, and nothing is counted
   * @throws DependencyUnavailable
   */
  abstract lease(stream: string): Promise<number>;

  /** It is certain that the rail did not take the question, so it does not count. @throws DependencyUnavailable */
  abstract giveBack(stream: string): Promise<void>;
}

/** The gap between extra questions about one collection. It doubles after each question. */
export const extraGapMs = { min: 5000, max: 6 * 3_600_000 } as const;

/**
 * Asks the questions that untrusted callbacks cause. Anyone who has a callback's address can cause them, and a rail
 * that is asked too often answers no question. So they are limited for each collection, and for all of a mode together.
 * After a pause of the mode's queries, the schedule's go first.
 */
@Injectable()
export class ExtraQuestions {
  readonly #pace = new ExtraPace();

  constructor(
    private readonly questions: RailQuestions,
    private readonly queries: ExtraQueries,
    private readonly clock: Clock,
  ) {}

  /**
   * @param about `stream` is the collection's, whatever reference is asked about
   * @returns `wait`: the collection was asked about lately; `not_asked` if others have to go first, too
   * @throws DependencyUnavailable
   */
  async ask({
    stream,
    ...payment
  }: RailPayment & { readonly stream: string }): Promise<
    QueryOutcome | { readonly kind: 'wait'; readonly ms: number }
  > {
    const name = `${payment.channel} ${payment.mode}`;
    if (!this.questions.mayAskExtra(payment) || !this.#pace.takesTurn(name, this.clock.nowMs()))
      return { kind: 'not_asked', why: 'paused' };
    const ms = await this.queries.lease(stream);
    if (ms > 0) {
      // One collection's callbacks, however many, take no turns from the others.
      this.#pace.giveBack(name);
      return { kind: 'wait', ms };
    }
    const answer = await this.questions.ask(payment);
    const isTaken = answer.kind !== 'not_asked';
    if (isTaken || answer.why !== 'paused') this.#pace.heard(name, isTaken);
    if (!isTaken) await this.queries.giveBack(stream);
    return answer;
  }
}
