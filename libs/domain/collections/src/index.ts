export {
  type AmountMismatchRecorded,
  answersPush,
  type CollectionEvent,
  collectionEventTypes,
  type CollectionIntentRecorded,
  type CollectionKey,
  collectionKeyOf,
  collectionStream,
  type Origin,
  origins,
  type RefundPaid,
  type RefundReleased,
  type RefundReserved,
  type ReviewReason,
} from './collection.events.js';
export {
  type Collection,
  collectionDecider,
  type CollectionStatus,
  type CollectionView,
  type Intent,
  type RecordedCollection,
  viewOf,
} from './collection.js';
export {
  CollectionInitiationModule,
  CollectionsModule,
  ReviewsModule,
} from './collections.module.js';
export {
  decideEndRefund,
  decideReserveRefund,
  isRefundOwed,
  refundableMinor,
  type RefundRefusal,
  type RefundTerms,
} from './refund/refund.decide.js';
export {
  ConfirmCollection,
  ConfirmCollectionHandler,
  type Confirmed,
} from './confirm/confirm-collection.command.js';
export { type ConfirmRefusal } from './confirm/confirm-collection.decide.js';
export { ExpectPayment, ReceiveExpected } from './expect/expect-payment.command.js';
export {
  type ExpectedPayment,
  expectedReferencePattern,
  moneyIn,
  typedAccount,
} from './expect/expect-payment.decide.js';
export { receivedKey, ReceivePayment } from './receive/receive-payment.command.js';
export { type ReceivedPayment, type UnaskedPayment } from './receive/receive-payment.decide.js';
export { type Listed, RecordListedReceipt } from './confirm/listed-receipt.command.js';
export { type ListedPayment } from './confirm/listed-receipt.decide.js';
export {
  FindCollection,
  FindCollectionHandler,
  type FoundCollection,
} from './find/find-collection.query.js';
export {
  FlagCollection,
  FlagCollectionHandler,
  type Flagging,
} from './query-rail/flag-collection.command.js';
export { type FlagReason } from './query-rail/flag-collection.decide.js';
export {
  type CollectionDetails,
  differencesFrom,
  PhoneVault,
} from './initiate/initiate-collection.decide.js';
export {
  anyPhoneIn,
  listedReferencePattern,
  numbersIn,
  referenceHoldsPhone,
  referencePattern,
} from './initiate/reference.js';
export {
  InitiateCollection,
  InitiateCollectionHandler,
  type Initiated,
  type InitiateRefusal,
  isNewlyRecorded,
} from './initiate/initiate-collection.command.js';
export { PromptPushes } from './initiate/prompt-pushes.js';
export { PushAnswers, type PushAnswersOptions } from './initiate/push-answers.js';
export { currentFees } from './review/collection-review.js';
export { DeclineReview, DeclineReviewHandler } from './review/decline-review.command.js';
export {
  type ConfirmedReview,
  ConfirmReview,
  ConfirmReviewHandler,
  type ConfirmReviewRefusal,
} from './review/confirm-review.command.js';
export {
  type Resolved,
  type ResolveRefusal,
  ResolveReview,
  ResolveReviewHandler,
} from './review/resolve-review.command.js';
export {
  isOpenToPayment,
  needsTwoOperators,
  possibleDecisions,
  type RulingRefusal,
} from './review/review.decide.js';
export { OpenReview, type OpenReviewRefusal } from './review/open-review.command.js';
