import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type BatchItem } from '../ports.js';
import { type PayoutBatchRequest } from './payout-batch.js';
import { PayoutBatches } from './payout-batches.js';

/**
 * True if a batch pays these items, in this order. It reads each payout from the log, so the answer is never behind.
 * @throws DependencyUnavailable if too many batches are in progress
 */
export class MatchBatchItems extends Query<boolean> {
  constructor(
    readonly batch: PayoutBatchRequest,
    readonly items: readonly Omit<BatchItem, 'feeMinor'>[],
  ) {
    super();
  }
}

@QueryHandler(MatchBatchItems)
export class MatchBatchItemsHandler implements IQueryHandler<MatchBatchItems> {
  constructor(private readonly batches: PayoutBatches) {}

  async execute({ batch, items }: MatchBatchItems): Promise<boolean> {
    const { references } = batch;
    if (items.length !== references.length) return false;
    if (items.some(({ reference }, index) => reference !== references[index])) return false;
    const payouts = await this.batches.atWork.admitted(batch.merchantId, () =>
      this.batches.payoutsOf(batch, references),
    );
    return items.every(({ reference, phone, amountMinor }) => {
      const payout = payouts.get(reference);
      // If a batch was rejected early, not every payout was recorded.
      if (!payout || payout.status === 'none') return true;
      const { request } = payout;
      const { phoneHmac } = this.batches.tracesOf(phone);
      return request.amountMinor === amountMinor && request.phoneHmac === phoneHmac;
    });
  }
}
