import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type BatchItem } from '../ports.js';
import { type PayoutBatchRequest } from './payout-batch.js';
import { PayoutBatches } from './payout-batches.js';

/**
 * Whether a batch pays these items, in this order. Reads each payout from the log, so the answer is never behind.
 * DependencyUnavailable where too many batches are at work.
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
    const payouts = await this.batches.atWork.admitted(batch, () =>
      this.batches.payoutsOf(batch, references),
    );
    return items.every(({ reference, phone, amountMinor }) => {
      const payout = payouts.get(reference);
      // Of a batch that was rejected early not every payout was recorded.
      if (!payout || payout.status === 'none') return true;
      const { request } = payout;
      const { phoneHmac } = this.batches.tracesOf(phone);
      return request.amountMinor === amountMinor && request.phoneHmac === phoneHmac;
    });
  }
}
