import { type PhoneTraces } from '#domain/kernel';
import { isStoppable } from '../cancel/cancel-payout.decide.js';
import { boundTo, type Payout, type RecordedPayout } from '../payout.js';
import {
  type PayoutApproved,
  type PayoutRejected,
  type PayoutRequested,
} from '../payout.events.js';
import { type BatchItem } from '../ports.js';
import {
  type CancelledBatch,
  type PayoutBatchRequest,
  type RejectedBatch,
} from './payout-batch.js';

/**
 * The first event of a batch's payout. It depends only on the batch and the item, so every process records the same.
 */
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

/** True if the payout belongs to the batch. Another payout may have taken the reference. */
export function isOf(
  batch: Pick<PayoutBatchRequest, 'reference'>,
  state: Payout,
): state is RecordedPayout {
  return state.status !== 'none' && state.request.batch === batch.reference;
}

/**
 * Events that the batch's approval adds to one of its payouts. Operators may have ended it since. An expired approval
 * is not repeated: a person must approve the payout again.
 */
export function decideApproveItem(holder: string, state: Payout): readonly PayoutApproved[] {
  if (state.status !== 'reserved' || state.lastExpiry !== undefined) return [];
  return [{ type: 'PayoutApproved', data: { holder, ...boundTo(state.request) } }];
}

/** Events that the batch's rejection adds to one of its payouts; none if it does not exist or belongs to another. */
export function decideRejectItem(batch: RejectedBatch, state: Payout): readonly PayoutRejected[] {
  if (!isOf(batch.request, state)) return [];
  if (state.status !== 'requested' && state.status !== 'reserved') return [];
  const { reason, rejectedBy: holder } = batch;
  const decided = holder === undefined ? {} : { holder };
  return [{ type: 'PayoutRejected', data: { reason, ...decided, ...boundTo(state.request) } }];
}

/** Events that the cancellation of an approved batch adds to one of its payouts; none if the rail was given it. */
export function decideCancelItem(
  { request, cancelledBy: holder }: CancelledBatch,
  state: Payout,
): readonly PayoutRejected[] {
  if (!isOf(request, state) || !isStoppable(state)) return [];
  const by = holder === undefined ? {} : { holder };
  return [
    { type: 'PayoutRejected', data: { reason: 'cancelled', ...by, ...boundTo(state.request) } },
  ];
}

/** The revision of the wallet's reservations that precedes the batch's reservations. */
export function requestSince({ reservationsRevision }: PayoutBatchRequest): bigint | undefined {
  return reservationsRevision === undefined ? undefined : BigInt(reservationsRevision);
}
