export { RecordedReceiptClaims } from './receipt-claims.js';
export {
  expireReviewProposals,
  findOpenProposals,
  findReviewProposals,
  RecordedReviewProposals,
} from './review-proposals.js';
