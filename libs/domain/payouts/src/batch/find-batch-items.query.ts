import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type PayoutRequest } from '../payout.js';
import { type PayoutBatchRequest } from './payout-batch.js';
import { PayoutBatches } from './payout-batches.js';
import { isOf } from './payout-batches.decide.js';

/**
 * The payouts of a batch as they were requested, in its order, from the log. One that is not recorded yet is absent.
 */
export class FindBatchItems extends Query<readonly PayoutRequest[]> {
  constructor(readonly request: PayoutBatchRequest) {
    super();
  }
}

@QueryHandler(FindBatchItems)
export class FindBatchItemsHandler implements IQueryHandler<FindBatchItems> {
  constructor(private readonly batches: PayoutBatches) {}

  /** @throws EventStoreUnavailable */
  async execute({ request }: FindBatchItems): Promise<readonly PayoutRequest[]> {
    const payouts = await this.batches.payoutsOf(request, request.references);
    return request.references.flatMap((reference) => {
      const payout = payouts.get(reference);
      return payout && isOf(request, payout) ? [payout.request] : [];
    });
  }
}
