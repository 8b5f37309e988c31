import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { ok, type Result } from '#domain/kernel';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { payoutStep } from '../funds/payout-funds.js';
import { type PayoutKey, payoutStream } from '../payout.events.js';
import { decideFlagPayout, type FlagPayoutReason } from './send-payout.decide.js';

/** Lists a payout for review, once and only while the reason holds. */
export class FlagPayout extends Command<Result<'flagged' | 'unchanged', 'unknown_payout'>> {
  constructor(
    readonly key: PayoutKey,
    readonly why: FlagPayoutReason,
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

@CommandHandler(FlagPayout)
export class FlagPayoutHandler implements ICommandHandler<FlagPayout> {
  constructor(private readonly pipeline: Pipeline) {}

  /** @throws EventStoreUnavailable */
  async execute({
    key,
    why,
    metadata,
  }: FlagPayout): Promise<Result<'flagged' | 'unchanged', 'unknown_payout'>> {
    const done = await this.pipeline.run(payoutStep(payoutStream(key), metadata), (state) =>
      decideFlagPayout(why, state),
    );
    if (!done.ok) return done;
    return ok(done.value.appended ? 'flagged' : 'unchanged');
  }
}
