export {
  type AmountMismatchRecorded,
  type CollectionEvent,
  collectionEventTypes,
  type CollectionIntentRecorded,
  type CollectionKey,
  collectionKeyOf,
  collectionStream,
  type Origin,
  type RailConfirmed,
  type ReviewDecision,
  type ReviewReason,
  type WalletPosted,
} from './collection.events.js';
export { type CollectionStatus, type CollectionView, viewOf } from './collection-view.js';
export {
  type Collection,
  collectionDecider,
  type Intent,
  type RecordedCollection,
} from './collection.js';
export { CollectionInitiationModule } from './collection-initiation.module.js';
export { CollectionsModule } from './collections.module.js';
export {
  ConfirmCollection,
  type Confirmed,
  ConfirmCollectionHandler,
} from './confirm/confirm-collection.command.js';
export { type ConfirmRefusal } from './confirm/confirm-collection.decide.js';
export { type RailReport, type Verdict } from './confirm/rail-report.js';
export {
  FindCollection,
  FindCollectionHandler,
  type FoundCollection,
} from './find/find-collection.query.js';
export {
  FlagCollection,
  type Flagging,
  FlagCollectionHandler,
} from './query-rail/flag-collection.command.js';
export { type FlagReason } from './query-rail/flag-collection.decide.js';
export { type CollectionDetails } from './initiate/initiate-collection.decide.js';
export {
  InitiateCollection,
  type Initiated,
  type InitiateRefusal,
  InitiateCollectionHandler,
} from './initiate/initiate-collection.command.js';
export {
  differencesFrom,
  isNewlyRecorded,
  listedReferencePattern,
  referencePattern,
  referenceHoldsPhone,
} from './initiate/existing-reference.js';
export { type PhoneTraces, PhoneVault } from './phone-vault.js';
export {
  type PushAnswer,
  type PushOutcome,
  type PushRequest,
  type QueryOutcome,
  Rail,
  type RailAmount,
  railAmount,
  type RailLimits,
  type RailPayment,
} from './rail.js';
export { PushAnswers, type PushAnswersOptions } from './record-push-outcome/push-answers.js';
export {
  type ConfirmedReview,
  ConfirmReview,
  type ConfirmReviewRefusal,
  ConfirmReviewHandler,
} from './review/confirm-review.command.js';
export {
  type Resolved,
  type ResolveRefusal,
  ResolveReview,
  ResolveReviewHandler,
} from './review/resolve-review.command.js';
export {
  isOpenToPayment,
  isSameOperator,
  needsTwoOperators,
  possibleDecisions,
} from './review/review.decide.js';
export { type Proposal, type ProposalOutcome, ReviewProposals } from './review/review-proposals.js';
export { ReviewsModule } from './review/reviews.module.js';
export { type FoundPayment, type Ruling, type RulingRefusal } from './review/ruling.js';
export { OpenReview, type OpenReviewRefusal } from './review/open-review.command.js';
export { type ReceiptClaim, ReceiptClaims, ReceiptUse } from './review/receipt-use.js';
export { isReceiptFree, UsedReceipts } from './review/used-receipts.js';
