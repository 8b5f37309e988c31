import { type Loaded, Pipeline } from '#domain/event-sourcing';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type PayoutEvent, type PayoutKey, payoutStream } from '../payout.events.js';
import { payoutDecider } from '../payout.evolve.js';
import { arePayoutsPaused } from '../pause/pauses.js';
import { type Payout } from '../payout.js';

/** A payout as the log has it. If the reference is unknown, it has no events and the state `none`. */
export interface FoundPayout extends Loaded<Payout, PayoutEvent> {
  /** True if it would be sent, but an operator paused it. */
  readonly isPaused: boolean;
}

/** Reads a payout from the leader, so it is never behind. */
export class FindPayout extends Query<FoundPayout> {
  constructor(readonly key: PayoutKey) {
    super();
  }
}

@QueryHandler(FindPayout)
export class FindPayoutHandler implements IQueryHandler<FindPayout> {
  constructor(private readonly pipeline: Pipeline) {}

  async execute({ key }: FindPayout): Promise<FoundPayout> {
    const step = { decider: payoutDecider, stream: payoutStream(key) };
    const loaded = await this.pipeline.load(step);
    const isPaused =
      loaded.state.status === 'approved' && (await arePayoutsPaused(this.pipeline, key));
    return { ...loaded, isPaused };
  }
}
