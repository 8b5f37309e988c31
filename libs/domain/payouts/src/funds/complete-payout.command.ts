import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { ok, refuse, type Result } from '#domain/kernel';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type PayoutKey, payoutStream } from '../payout.events.js';
import { payoutStatusOf } from '../payout.js';
import { PayoutAllowances, PayoutPhones } from '../ports.js';
import { PayoutFunds, payoutStep } from './payout-funds.js';

/**
 * Completes the steps that a dead process left of a payout; safe to repeat. `kept`: the records know that the rail was
 * given it, so nothing is released before operators decide (PAY-61).
 */
export class CompletePayout extends Command<Result<'settled' | 'kept', 'unknown_payout'>> {
  constructor(
    readonly key: PayoutKey,
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

@CommandHandler(CompletePayout)
export class CompletePayoutHandler implements ICommandHandler<CompletePayout> {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly funds: PayoutFunds,
    private readonly phones: PayoutPhones,
    private readonly allowances: PayoutAllowances,
  ) {}

  /** @throws DependencyUnavailable */
  async execute({
    key,
    metadata,
  }: CompletePayout): Promise<Result<'settled' | 'kept', 'unknown_payout'>> {
    const step = payoutStep(payoutStream(key), metadata);
    const before = await this.pipeline.load(step);
    if (before.state.status === 'none') return refuse('unknown_payout');
    const { state } = await this.funds.settle(step, before);
    if (state.status !== 'none' && isOver(payoutStatusOf(state.status)))
      await this.phones.forget(step.stream);
    if (state.status === 'rejected') await this.allowances.giveBack(step.stream);
    return ok(state.status !== 'none' && state.givenBefore === 'listed' ? 'kept' : 'settled');
  }
}

/** True if nothing is sent for the payout any more, so that its number is not needed. */
export function isOver(status: ReturnType<typeof payoutStatusOf>): boolean {
  return status === 'completed' || status === 'failed' || status === 'rejected';
}
