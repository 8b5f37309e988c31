import { type QueryOutcome, type RailPayment } from '#domain/collections';
import { Clock } from '#domain/kernel';
import { Injectable } from '@nestjs/common';
import { RailQuestions } from './rail-questions.js';

/**
 * The extra questions about collections so far: what an untrusted sender's callback makes us ask, beside the schedule
 * (RAIL-23). It survives restarts, and several workers share it.
 */
export abstract class ExtraQueries {
  /**
   * The right to put an extra question about the collection now.
   * @returns 0 where it may be put; else how many milliseconds from now it may, and nothing is counted
   * @throws DependencyUnavailable
   */
  abstract lease(stream: string): Promise<number>;

  /** It is certain that the rail did not take the question: it does not count. @throws DependencyUnavailable */
  abstract giveBack(stream: string): Promise<void>;
}

/** Of one collection: twice as long after each question, whoever called for it. */
export const extraGapMs = { least: 5000, most: 6 * 3_600_000 } as const;

/** Of all collections of a rail's mode together, in one worker: ten a second, and fewer while the rail pushes back. */
const paceMs = { least: 100, most: 60_000 } as const;
/** So far ahead of the pace: five at once, where none was asked just before. */
const aheadMs = 4 * paceMs.least;
/** One that was taken shortens the gap by so much: slower than one that was not lengthens it. */
const recovery = 0.9;

interface Pace {
  gapMs: number;
  nextMs: number;
}

/**
 * Questions that untrusted callbacks call for. Anybody who has a callback's address can call for them, and a rail that is
 * asked too often answers nobody: they are bounded for each collection, and for all of a mode together; and after a
 * pause of the mode's queries the schedule's go first.
 */
@Injectable()
export class ExtraQuestions {
  readonly #paces = new Map<string, Pace>();

  constructor(
    private readonly questions: RailQuestions,
    private readonly queries: ExtraQueries,
    private readonly clock: Clock,
  ) {}

  /**
   * @param about `stream`: the collection's, whatever reference is asked about
   * @returns `wait`: the collection was asked about lately; `not_asked` where others have to go first, too
   * @throws DependencyUnavailable
   */
  async ask({
    stream,
    ...payment
  }: RailPayment & { readonly stream: string }): Promise<
    QueryOutcome | { readonly kind: 'wait'; readonly ms: number }
  > {
    const pace = this.paceOf(payment);
    const nowMs = this.clock.nowMs();
    const dueMs = dueAt(pace, nowMs);
    if (!this.questions.mayAskExtra(payment) || dueMs > nowMs + aheadMs)
      return { kind: 'not_asked', why: 'paused' };
    pace.nextMs = dueMs + pace.gapMs;
    const ms = await this.queries.lease(stream);
    if (ms > 0) {
      // One collection's callbacks, however many, take no turns from the others.
      pace.nextMs -= pace.gapMs;
      return { kind: 'wait', ms };
    }
    const answer = await this.questions.ask(payment);
    if (answer.kind === 'not_asked') {
      if (answer.why !== 'paused') pace.gapMs = Math.min(paceMs.most, pace.gapMs * 2);
      await this.queries.giveBack(stream);
    } else pace.gapMs = Math.max(paceMs.least, pace.gapMs * recovery);
    return answer;
  }

  private paceOf({ channel, mode }: RailPayment): Pace {
    const name = `${channel} ${mode}`;
    const known = this.#paces.get(name);
    if (known) return known;
    const pace = { gapMs: paceMs.least, nextMs: 0 };
    this.#paces.set(name, pace);
    return pace;
  }
}

/** When the next turn is. A clock that was set back must not hold it up for hours. */
function dueAt({ nextMs }: Pace, nowMs: number): number {
  return nextMs - nowMs > 2 * paceMs.most ? nowMs : Math.max(nextMs, nowMs);
}
