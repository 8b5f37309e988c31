import { type CollectionKey, collectionKeyOf, collectionStream } from '#domain/collections';
import { payoutKeyOf, payoutStream } from '#domain/payouts';

/** References of payouts and of collections are separate (PAY-2). */
export const itemTypes = ['collection', 'payout'] as const;
export type ItemType = (typeof itemTypes)[number];

/** An item that a merchant's reference may name; both types have the same key. */
export interface Item {
  readonly type: ItemType;
  readonly key: CollectionKey;
}

/** Undefined if the stream is neither. */
export function itemOf(stream: string): Item | undefined {
  const collection = collectionKeyOf(stream);
  if (collection) return { type: 'collection', key: collection };
  const payout = payoutKeyOf(stream);
  return payout && { type: 'payout', key: payout };
}

export function itemStream({ type, key }: Item): string {
  return type === 'payout' ? payoutStream(key) : collectionStream(key);
}
