import { type CollectionKey, collectionStream } from '#domain/collections';
import { type Account } from '#domain/merchants';

/** The one merchant of every schedule. */
const merchantId = 'm1';

/** @param reference as the merchant gave it */
export function keyOf(reference: string): CollectionKey {
  return { mode: 'demo', merchantId, reference };
}

export function streamOf(reference: string): string {
  return collectionStream(keyOf(reference));
}

/** The merchant's account. @param basisPoints of its fee */
export function account(basisPoints: number): Account {
  return {
    merchantId,
    mode: 'demo',
    accountNo: '1001',
    currency: 'KES',
    feeSchedule: { basisPoints, flatMinor: 0n },
  };
}
