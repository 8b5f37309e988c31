import { type CollectionKey, collectionKeyOf, collectionStream } from '#domain/collections';
import { Pipeline } from '#domain/event-sourcing';
import { payoutKeyOf, payoutStream } from '#domain/payouts';
import { type INestApplicationContext } from '@nestjs/common';
import { Option } from 'commander';
import { Refused } from '../refused.js';

/** References of payouts and of collections are separate (PAY-2). */
export const itemTypes = ['collection', 'payout'] as const;
export type ItemType = (typeof itemTypes)[number];

/** What a merchant's reference may name; the keys of both are alike. */
export interface Item {
  readonly type: ItemType;
  readonly key: CollectionKey;
}

export const typeOption = new Option(
  '--type <type>',
  'where a collection and a payout have the reference',
).choices(itemTypes);

/** Undefined where the stream is neither. */
export function itemOf(stream: string): Item | undefined {
  const collection = collectionKeyOf(stream);
  if (collection) return { type: 'collection', key: collection };
  const payout = payoutKeyOf(stream);
  return payout && { type: 'payout', key: payout };
}

export function itemStream({ type, key }: Item): string {
  return type === 'payout' ? payoutStream(key) : collectionStream(key);
}

/**
 * Which of the two a person means. Money hangs on it, so where both exist nothing is guessed.
 * @returns undefined where neither exists
 * @throws Refused where both do, and the person did not say
 */
export async function findItem(
  app: INestApplicationContext,
  key: CollectionKey,
  type: ItemType | undefined,
): Promise<Item | undefined> {
  const pipeline = app.get(Pipeline);
  const found: Item[] = [];
  for (const each of type === undefined ? itemTypes : [type]) {
    const item = { type: each, key };
    if ((await pipeline.firstEventId(itemStream(item))) !== undefined) found.push(item);
  }
  if (found.length > 1)
    throw new Refused([
      `a collection and a payout have the reference ${key.reference}: say which with --type`,
    ]);
  return found[0];
}
