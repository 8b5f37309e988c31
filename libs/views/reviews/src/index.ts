export { type ClaimPlace, sharedCheckouts } from './checkouts/shared-checkouts.js';
export { causeOf, projectReviews, type ReviewCause } from './project.js';
export {
  countReviews,
  listReviews,
  type OpenReview,
  type ReviewCount,
  type ReviewMoney,
  reviewMoney,
  reviewsBegun,
} from './query.js';
export {
  bearersOfReceipts,
  isFlaggedForReceipt,
  noteReceiptConflicts,
  projectReceiptConflicts,
  sharedReceipts,
  unflaggedReceiptConflicts,
} from './receipts/conflicts.js';
export { ReceiptsInViews } from './receipts/receipts-in-views.js';
