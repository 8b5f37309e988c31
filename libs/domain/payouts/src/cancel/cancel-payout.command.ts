import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { ok, type Result } from '#domain/kernel';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DecisionGuards } from '../decide/decision-guards.js';
import { type DecidedPayout } from '../decide/decide-payout.command.js';
import { payoutStep } from '../funds/payout-funds.js';
import { withoutEvidence } from '../funds/without-evidence.js';
import { type PayoutKey, payoutStream } from '../payout.events.js';
import { type Payout, payoutViewOf } from '../payout.js';
import { PayoutSettlement } from '../review/payout-settlement.js';
import { type CancelRefusal, decideCancelPayout, isCancelled } from './cancel-payout.decide.js';

/** One person stops a payout that was not given to the rail, approved or not. Safe to repeat. */
export class CancelPayout extends Command<Result<DecidedPayout, CancelRefusal>> {
  constructor(
    readonly key: PayoutKey,
    readonly holder: string,
    /** It includes the evidence of the cancellation's own request. */
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

/**
 * Appends PayoutRejected at the revision that was read, so the cancellation wins or loses against RailPayoutStarted as
 * a whole: a cancelled payout is never sent, and a started one is never cancelled.
 */
@CommandHandler(CancelPayout)
export class CancelPayoutHandler implements ICommandHandler<CancelPayout> {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly settlement: PayoutSettlement,
    private readonly guards: DecisionGuards,
  ) {}

  /** @throws DependencyUnavailable */
  async execute({
    key,
    holder,
    metadata,
  }: CancelPayout): Promise<Result<DecidedPayout, CancelRefusal>> {
    const step = payoutStep(payoutStream(key), metadata);
    const byService = withoutEvidence(metadata);
    const loaded = await this.pipeline.load(step);
    // The service finishes the work that a dead process left of the request.
    const before = await this.settlement.settle(payoutStep(step.stream, byService), loaded);
    const repeated = isCancelled(before.state) ? ({ isRepeated: true } as const) : {};
    const wasOrdered = await this.guards.wereGiven([step.stream]);
    const decide = (state: Payout) => decideCancelPayout({ holder, wasOrdered }, state);
    const done = await this.pipeline.run(step, decide, before);
    if (!done.ok) {
      // The payout is listed for review instead (PAY-61).
      if (wasOrdered) await this.settlement.keepsGiven(payoutStep(step.stream, byService), before);
      return done;
    }
    const { state, position } = await this.settlement.settle(step, done.value);
    const view = payoutViewOf(state);
    return ok({ view, ...repeated, ...(position === undefined ? {} : { position }) });
  }
}
