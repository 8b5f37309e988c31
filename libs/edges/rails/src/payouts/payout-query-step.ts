import { Clock, concurrently, DependencyUnavailable, type Mode } from '#domain/kernel';
import { Injectable, Logger } from '@nestjs/common';
import { ExtraPace } from '../query/extra-pace.js';
import { QueryThrottle } from '../query/query-throttle.js';
import { type Asked } from '../rail-adapter.js';
import { type DuePayoutQuery, extraAttempt, PayoutQueries } from './payout-queries.js';
import { PayoutQuestions } from './payout-questions.js';
import { type RailAccount } from './rail-floats.js';

const maxAtOnce = 64;
const maxInFlight = 8;

/**
 * Asks the rail about payouts that it may have been sent and whose outcome is unknown. The answers arrive by callback.
 * Each question is leased before it is asked, since several workers run. While the rail takes no questions, all of its
 * mode wait (RAIL-19). They delay none about another rail's payouts (RAIL-32).
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
    const askable = this.askable(mode);
    if (askable.length === 0) return 'idle';
    const due = await this.queries.due(askable, maxAtOnce);
    let taken = 0;
    await concurrently(due, maxInFlight, async (query) => {
      if (await this.ask(query)) taken += 1;
    });
    return due.length === maxAtOnce && taken > 0 ? 'busy' : 'idle';
  }

  /**
   * Returns the rails' modes that take questions now. Questions that only another process can ask are left to it: a
   * lease without a question would delay the next one (PAY-36).
   */
  private askable(only?: Mode): readonly RailAccount[] {
    return this.questions.accounts.filter(
      ({ channel, mode }) =>
        (only === undefined || mode === only) &&
        this.throttle.mayAsk({ channel, mode, about: 'payouts' }),
    );
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
