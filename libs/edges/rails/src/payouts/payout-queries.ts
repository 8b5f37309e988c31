import { Clock, concurrently, DependencyUnavailable, type Mode } from '#domain/kernel';
import { Injectable, Logger } from '@nestjs/common';
import { ExtraPace } from '../query/extra-pace.js';
import { QueryThrottle } from '../query/query-throttle.js';
import { type Asked } from '../rail-adapter.js';
import { PayoutRails } from './payout-rails.js';

/** A payout about which the rail is to be asked now. */
export interface DuePayoutQuery {
  readonly stream: string;
  readonly mode: Mode;
  readonly channel: string;
  readonly originatorConversationId: string;
  /** Beside the schedule: a report that settled nothing called for it (PAY-38). */
  readonly isExtra: boolean;
  /** Questions of its kind so far. */
  readonly asked: number;
}

/** What the rail answered to a question, by the question's number. */
export interface PayoutAnswerNote {
  readonly attempt: number;
  /** `paid`, `declined:<code>`, `unresolved`, or `unresolved:<code>` where the rail gave a code that nobody knows. */
  readonly answer: string;
}

/** A question that the rail took, or may have taken. */
export interface LastPayoutQuestion {
  readonly agoMs: number;
  readonly isAnswered: boolean;
}

/** The number of every extra question, which its answer brings back: those of the schedule count from 1. */
export const extraAttempt = 0;

/**
 * When the rail is asked about payouts that it may have been sent: at RAIL_QUERY_DELAYS after the sending, then at the
 * last gap for as long as nothing is known. A decline ends no asking before the last delay, and before as much time has
 * passed since the decline (PAY-30). Extra questions stand beside the schedule, so that whoever calls for them uses up
 * none of it. It survives restarts, and several workers share it.
 */
export abstract class PayoutQueries {
  /** The longest due first, of one mode where it is given. @throws DependencyUnavailable */
  abstract due(max: number, mode?: Mode): Promise<readonly DuePayoutQuery[]>;
  /**
   * The right to ask, before it is asked, which also sets the time of the next question: of two workers one alone gets
   * `true`.
   */
  abstract lease(query: DuePayoutQuery): Promise<boolean>;
  /** It is certain that the rail was not asked: the schedule's question is due again in seconds, an extra one later. */
  abstract giveBack(query: DuePayoutQuery): Promise<void>;
  /**
   * An extra question is due: now, or after a pause that grows with each, until one is answered or as long as the last
   * delay. @throws DependencyUnavailable
   */
  abstract askExtra(stream: string): Promise<void>;
  /** No extra question is wanted any more. @throws DependencyUnavailable */
  abstract extraAnswered(stream: string): Promise<void>;
  /**
   * The answer to the question before this one, where it came half of the gap between the two questions before now, a
   * minute at most: what makes one answer wrong makes another wrong that comes with it (ADR 0021).
   * @throws DependencyUnavailable
   */
  abstract answerBefore(stream: string, attempt: number): Promise<string | undefined>;
  /**
   * The last question of the schedule that was not given back, or the last extra one, where that was answered: the
   * later one. @throws DependencyUnavailable
   */
  abstract lastQuestion(stream: string): Promise<LastPayoutQuestion | undefined>;
  /** An older question's answer changes nothing. @throws DependencyUnavailable */
  abstract note(stream: string, note: PayoutAnswerNote): Promise<void>;
  /**
   * Nothing is known to be missing of the payout: where the view names it on, it is asked about at the last gap, not as
   * one that nobody asked about yet. @throws DependencyUnavailable
   */
  abstract settled(stream: string): Promise<void>;
}

const maxAtOnce = 64;
const maxInFlight = 8;

/**
 * Asks the rail about payouts that it may have been sent and of which nothing is known. The answers come by callback. A
 * question is leased before it is asked, since several workers run. While the rail takes none, all of its mode wait
 * (RAIL-19).
 */
@Injectable()
export class PayoutQueryStep {
  private readonly log = new Logger('payouts');
  /** Of extra questions, which anybody calls for who has an address of a payout. */
  private readonly pace = new ExtraPace();

  constructor(
    private readonly queries: PayoutQueries,
    private readonly rails: PayoutRails,
    private readonly clock: Clock,
    private readonly throttle: QueryThrottle,
  ) {}

  /** @param mode whose payouts; both unless given. @throws DependencyUnavailable */
  async step(mode?: Mode): Promise<'idle' | 'busy'> {
    const due = await this.queries.due(maxAtOnce, mode);
    // What another process alone can ask is left to it: a question that is leased in vain puts off the next.
    const askable = due.filter((query) => this.rails.payoutLimits(query.channel, query.mode));
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

  /** Undefined where another worker asks. */
  private async askLeased(
    query: DuePayoutQuery,
  ): Promise<{ readonly kind: Asked; readonly why: 'not_taken' } | undefined> {
    if (!(await this.queries.lease(query))) return undefined;
    const { stream, originatorConversationId, isExtra } = query;
    const attempt = isExtra ? extraAttempt : query.asked + 1;
    const asked = await this.rails.askAboutAgain(query, attempt);
    if (isExtra) this.pace.heard(paceOf(query), asked !== 'not_asked');
    this.log.log({ msg: 'asked about a payout', stream, originatorConversationId, asked });
    if (asked === 'not_asked') await this.queries.giveBack(query);
    return { kind: asked, why: 'not_taken' };
  }
}

function paceOf({ channel, mode }: DuePayoutQuery): string {
  return `${channel} ${mode}`;
}
