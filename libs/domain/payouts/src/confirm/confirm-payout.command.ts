import { type CommandMetadata, Pipeline, traceIn } from '#domain/event-sourcing';
import { ok, type Result } from '#domain/kernel';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { isOver } from '../funds/complete-payout.command.js';
import { PayoutFunds, payoutStep } from '../funds/payout-funds.js';
import { type PayoutKey, payoutStream } from '../payout.events.js';
import { payoutDecider } from '../payout.evolve.js';
import { isPaidToNumber, payoutViewOf, type PayoutView } from '../payout.js';
import { PayoutPhones } from '../ports.js';
import {
  type ConfirmPayoutRefusal,
  decideConfirmPayout,
  decidePaidUnsent,
  type PayoutReport,
} from './confirm-payout.decide.js';

/** The payout after the report. */
export interface ConfirmedPayout extends PayoutView {
  /** True if the rail reverses a customer's payment, so that the report says nothing about the paying account. */
  readonly isReversal?: true;
  /** The trace of its request, if it is recorded. */
  readonly traceparent?: string;
}

/** Applies the rail's report, a result or a query's answer, to the payout; safe to repeat. */
export class ConfirmPayout extends Command<Result<ConfirmedPayout, ConfirmPayoutRefusal>> {
  constructor(
    readonly key: PayoutKey,
    readonly report: PayoutReport,
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

@CommandHandler(ConfirmPayout)
export class ConfirmPayoutHandler implements ICommandHandler<ConfirmPayout> {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly funds: PayoutFunds,
    private readonly phones: PayoutPhones,
  ) {}

  /** @throws DependencyUnavailable; the report must then be applied again */
  async execute({
    key,
    report,
    metadata,
  }: ConfirmPayout): Promise<Result<ConfirmedPayout, ConfirmPayoutRefusal>> {
    const step = payoutStep(payoutStream(key), metadata);
    const done = await this.pipeline.run(step, (state) =>
      decideConfirmPayout(report, state, metadata.commitment),
    );
    if (!done.ok) {
      if (done.refusal === 'not_sent')
        await this.pipeline.run(step, (state) => ok(decidePaidUnsent(state)));
      return done;
    }
    const { state } = await this.funds.settle(step, done.value);
    const view = payoutViewOf(state);
    if (isOver(view.status)) await this.phones.forget(step.stream);
    const isReversal = state.status !== 'none' && !isPaidToNumber(state.request);
    const kind = isReversal ? ({ isReversal } as const) : {};
    return ok({ ...view, ...kind, ...traceIn({ traceparent: payoutDecider.traceOf?.(state) }) });
  }
}
