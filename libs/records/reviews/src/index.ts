export {
  listProposalActs,
  type ProposalAct,
  type ProposalActPlace,
  type ProposalActsWanted,
} from './proposal-acts.js';
export { RecordedReceiptClaims } from './receipt-claims.js';
export {
  expireReviewProposals,
  findOpenProposals,
  findReviewProposals,
  RecordedReviewProposals,
  type StoredReviewProposal,
} from './review-proposals.js';
