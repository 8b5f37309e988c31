export { type ConfirmationRefusal, confirmProposal, type Confirmed } from './confirm-proposal.js';
export { type Declined, declineProposal, type DeclineRefusal } from './decline-proposal.js';
export { type ProposalRefusal, proposeRuling } from './propose-ruling.js';
export { type ReviewSubject } from './review-subject.js';
export { asked, type Questions, stillAsked, unasked, withQuestion } from './questions.js';
export {
  isReceiptFree,
  type ReceiptClaim,
  ReceiptClaims,
  ReceiptUse,
  type StandingClaim,
  UsedReceipts,
} from './receipt-use.js';
export {
  type Deciders,
  type DeclinedEnd,
  type FoundPayment,
  isSameOperator,
  type OpenProposal,
  type OvertakingRefusal,
  type Proposal,
  type ProposalOutcome,
  type ReviewDecision,
  ReviewProposals,
  type Ruling,
  type TwoOperators,
} from './ruling.js';
