export { causeOf, projectReviews, type ReviewCause } from './project.js';
export { listReviews, type OpenReview } from './query.js';
export {
  isFlaggedForReceipt,
  projectReceiptConflicts,
  receiptBearers,
} from './receipts/project.js';
export { unflaggedReceiptConflicts } from './receipts/query.js';
export { ReceiptsInViews } from './receipts/receipts-in-views.js';
