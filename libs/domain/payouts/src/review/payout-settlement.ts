import { type Done } from '#domain/event-sourcing';
import { isOver } from '../funds/complete-payout.command.js';
import { type PayoutFunds, type payoutStep } from '../funds/payout-funds.js';
import { type Payout, payoutViewOf, type PayoutView } from '../payout.js';
import { type PayoutAllowances, type PayoutPhones } from '../ports.js';

/** What a decision leaves to do beyond the payout's own stream; what a crash leaves undone of it, the worker does. */
export class PayoutSettlement {
  constructor(
    private readonly funds: PayoutFunds,
    private readonly phones: PayoutPhones,
    private readonly allowances: PayoutAllowances,
  ) {}

  /** Settles what is reserved, and drops what the records keep for a payout that is over. @throws DependencyUnavailable */
  async settle(step: ReturnType<typeof payoutStep>, done: Done<Payout>): Promise<PayoutView> {
    const view = payoutViewOf((await this.funds.settle(step, done)).state);
    if (isOver(view.status)) await this.phones.forget(step.stream);
    if (view.status === 'rejected') await this.allowances.giveBack(step.stream);
    return view;
  }
}
