import { type Loaded, Pipeline } from '#domain/event-sourcing';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type PayoutEvent, type PayoutKey, payoutStream } from '../payout.events.js';
import { payoutDecider } from '../payout.evolve.js';
import { type Payout } from '../payout.js';

/** A payout as the log has it; without events, and in the state `none`, where the reference is unknown. */
export type FoundPayout = Loaded<Payout, PayoutEvent>;

/** A payout, read from the leader: never behind. */
export class FindPayout extends Query<FoundPayout> {
  constructor(readonly key: PayoutKey) {
    super();
  }
}

@QueryHandler(FindPayout)
export class FindPayoutHandler implements IQueryHandler<FindPayout> {
  constructor(private readonly pipeline: Pipeline) {}

  execute({ key }: FindPayout): Promise<FoundPayout> {
    return this.pipeline.load({ decider: payoutDecider, stream: payoutStream(key) });
  }
}
