import { type CollectionKey, collectionStream } from '#domain/collections';
import { type Account } from '#domain/merchants';
import { payoutBatchStream, type PayoutKey, payoutStream } from '#domain/payouts';

/** The rails of every schedule. */
export const channels = ['mpesa', 'airtel'] as const;
export type Channel = (typeof channels)[number];

/** The only merchant of every schedule. */
const merchantId = 'm1';

/** @param reference the merchant's own reference */
export function keyOf(reference: string): CollectionKey {
  return { mode: 'demo', merchantId, reference };
}

export function streamOf(reference: string): string {
  return collectionStream(keyOf(reference));
}

/** @param reference of a payout, which is separate from those of collections */
export function payoutKeyOf(reference: string): PayoutKey {
  return keyOf(reference);
}

export function payoutStreamOf(reference: string): string {
  return payoutStream(payoutKeyOf(reference));
}

/** @param reference of a batch, which is separate from those of payouts */
export function batchStreamOf(reference: string): string {
  return payoutBatchStream(keyOf(reference));
}

/** The merchant's accounts: collections pay into the first, payouts leave both. */
export const accountNos = ['1001', '1002'] as const;

/** Returns one of the merchant's accounts. @param basisPoints of its fee */
export function account(basisPoints: number, accountNo: string = accountNos[0]): Account {
  return {
    merchantId,
    mode: 'demo',
    accountNo,
    currency: 'KES',
    feeSchedule: { basisPoints, flatMinor: 0n },
    channels,
  };
}
