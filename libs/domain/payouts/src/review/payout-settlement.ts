import { type Done } from '#domain/event-sourcing';
import { isOver } from '../funds/complete-payout.command.js';
import { type PayoutFunds, type payoutStep } from '../funds/payout-funds.js';
import { type Payout, payoutStatusOf } from '../payout.js';
import { type PayoutAllowances, type PayoutPhones } from '../ports.js';

/** Completes a decision beyond the payout's own stream. After a crash the worker completes it. */
export class PayoutSettlement {
  constructor(
    private readonly funds: PayoutFunds,
    private readonly phones: PayoutPhones,
    private readonly allowances: PayoutAllowances,
  ) {}

  /**
   * Lists a payout for review that operators would end as never sent, if the records know that the rail was given it.
   * @returns true if it must not be ended so
   * @throws DependencyUnavailable
   */
  async keepsGiven(step: ReturnType<typeof payoutStep>, before: Done<Payout>): Promise<boolean> {
    if (!(await this.funds.wasGiven(step.stream))) return false;
    await this.funds.keepGiven(step, before);
    return true;
  }

  /**
   * Settles the reservation, and deletes the records of a payout that is over.
   * @throws DependencyUnavailable
   */
  async settle(step: ReturnType<typeof payoutStep>, done: Done<Payout>): Promise<Done<Payout>> {
    const settled = await this.funds.settle(step, done);
    const { status } = settled.state;
    if (status !== 'none' && isOver(payoutStatusOf(status))) await this.phones.forget(step.stream);
    if (status === 'rejected') await this.allowances.giveBack(step.stream);
    return settled;
  }
}
