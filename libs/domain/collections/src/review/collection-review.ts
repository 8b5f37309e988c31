import { type FeeSchedule } from '#domain/ledger';
import { type MerchantDirectory } from '#domain/merchants';
import { type ReviewSubject } from '#domain/reviews';
import { type Collection, collectionDecider, type Intent } from '../collection.js';
import {
  type CollectionEvent,
  type CollectionKey,
  collectionKeyOf,
  collectionStream,
} from '../collection.events.js';
import { checkRuling, decideReview, type RulingRefusal } from './review.decide.js';

/** A collection as a subject of the review protocol. */
export function collectionReview(
  key: CollectionKey,
  merchants: MerchantDirectory,
): ReviewSubject<Collection, CollectionEvent, RulingRefusal> {
  return {
    mode: key.mode,
    decider: collectionDecider,
    stream: collectionStream(key),
    check: checkRuling,
    sibling: (stream) => {
      const other = collectionKeyOf(stream);
      return other && collectionReview(other, merchants);
    },
    decide: async (ruling, deciders, state) => {
      const isPosted = ruling.decision === 'suspense_to_merchant' && state.status !== 'none';
      const fees = isPosted ? await currentFees(state.intent, merchants) : undefined;
      return decideReview(ruling, deciders, state, fees);
    },
  };
}

/**
 * Returns the account's current fee schedule, because the amount that arrived was never agreed on.
 * @returns undefined if the account is not known
 * @throws DependencyUnavailable
 */
export async function currentFees(
  { merchantId, mode, accountNo }: Pick<Intent, 'merchantId' | 'mode' | 'accountNo'>,
  merchants: MerchantDirectory,
): Promise<FeeSchedule | undefined> {
  return (await merchants.findAccount(merchantId, mode, accountNo))?.feeSchedule;
}
