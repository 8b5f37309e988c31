import { type PhoneTraces } from '#domain/collections';
import { type Payout, type RecordedPayout } from '../payout.js';
import {
  type PayoutApproved,
  type PayoutRejected,
  type PayoutRequested,
} from '../payout.events.js';
import { type BatchItem } from '../ports.js';
import { type PayoutBatchRequest, type RejectedBatch } from './payout-batch.js';

/** The first event of a batch's payout: it follows from the batch and the item, whoever records it. */
export function itemRequested(
  batch: PayoutBatchRequest,
  item: Omit<BatchItem, 'phone'> & PhoneTraces,
): PayoutRequested {
  const { merchantId, mode, accountNo, currency, channel, holder, reservationsRevision } = batch;
  return {
    type: 'PayoutRequested',
    data: {
      merchantId,
      mode,
      accountNo,
      currency,
      amountMinor: item.amountMinor,
      feeMinor: item.feeMinor,
      channel,
      reference: item.reference,
      batch: batch.reference,
      phoneHmac: item.phoneHmac,
      phoneMasked: item.phoneMasked,
      holder,
      ...(reservationsRevision === undefined ? {} : { reservationsRevision }),
    },
  };
}

/** Whether the payout is the batch's: its reference may have gone to another. */
export function isOf(
  batch: Pick<PayoutBatchRequest, 'reference'>,
  state: Payout,
): state is RecordedPayout {
  return state.status !== 'none' && state.request.batch === batch.reference;
}

/** What the batch's approval adds to a payout of it; operators may have ended it since. */
export function decideApproveItem(holder: string, state: Payout): readonly PayoutApproved[] {
  if (state.status !== 'reserved') return [];
  const { amountMinor, phoneHmac } = state.request;
  return [{ type: 'PayoutApproved', data: { holder, amountMinor, phoneHmac } }];
}

/** What the batch's rejection adds to a payout of it; nothing to one that is not there, or another's. */
export function decideRejectItem(batch: RejectedBatch, state: Payout): readonly PayoutRejected[] {
  if (!isOf(batch.request, state)) return [];
  if (state.status !== 'requested' && state.status !== 'reserved') return [];
  const { reason, rejectedBy: holder } = batch;
  const { amountMinor, phoneHmac } = state.request;
  const decided = holder === undefined ? {} : { holder };
  return [{ type: 'PayoutRejected', data: { reason, ...decided, amountMinor, phoneHmac } }];
}

/** The revision of the wallet's reservations after which the batch's stand. */
export function requestSince({ reservationsRevision }: PayoutBatchRequest): bigint | undefined {
  return reservationsRevision === undefined ? undefined : BigInt(reservationsRevision);
}
