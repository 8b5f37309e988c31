import { type FeeSchedule } from '#domain/ledger';
import { type MerchantDirectory } from '#domain/merchants';
import { type ReviewSubject } from '#domain/reviews';
import { type Collection, collectionDecider } from '../collection.js';
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
      const isPosted = ruling.decision === 'suspense_to_merchant';
      const fees = isPosted ? await currentFees(state, merchants) : undefined;
      return decideReview(ruling, deciders, state, fees);
    },
  };
}

/** Returns the merchant's current fee, because the amount that arrived was never agreed on. */
async function currentFees(
  state: Collection,
  merchants: MerchantDirectory,
): Promise<FeeSchedule | undefined> {
  if (state.status === 'none') return undefined;
  const { merchantId, mode, accountNo } = state.intent;
  return (await merchants.findAccount(merchantId, mode, accountNo))?.feeSchedule;
}
