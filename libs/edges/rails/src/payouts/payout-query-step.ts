import { DependencyUnavailable } from '#domain/kernel';
import { Injectable, Logger } from '@nestjs/common';
import { concurrently } from '../concurrently.js';
import { PayoutRails } from './payout-rails.js';
import { type DuePayoutQuery, PayoutQueries } from './payout-queries.js';

const maxAtOnce = 64;
const maxInFlight = 8;

/**
 * Asks the rail about payouts that it may have been sent and of which nothing is known. The answers come by callback. A
 * question is leased before it is asked, since several workers run.
 */
@Injectable()
export class PayoutQueryStep {
  private readonly log = new Logger('payouts');

  constructor(
    private readonly queries: PayoutQueries,
    private readonly rails: PayoutRails,
  ) {}

  /** @throws DependencyUnavailable */
  async step(): Promise<'idle' | 'busy'> {
    const due = await this.queries.due(maxAtOnce);
    let taken = 0;
    await concurrently(due, maxInFlight, async (query) => {
      if (await this.ask(query)) taken += 1;
    });
    return due.length === maxAtOnce && taken > 0 ? 'busy' : 'idle';
  }

  private async ask(query: DuePayoutQuery): Promise<boolean> {
    if (!(await this.queries.lease(query))) return false;
    const { stream, originatorConversationId, asked: before } = query;
    try {
      const asked = await this.rails.askAboutAgain(query, before + 1);
      this.log.log({ msg: 'asked about a payout', stream, originatorConversationId, asked });
      if (asked === 'not_asked') await this.queries.giveBack(query);
      return asked !== 'not_asked';
    } catch (error) {
      if (error instanceof DependencyUnavailable) throw error;
      this.log.error({ msg: 'a payout cannot be asked about', stream, err: error });
      return false;
    }
  }
}
