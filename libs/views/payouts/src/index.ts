export { type ClaimChange, claimChangeIn, projectRefunds } from './refunds.js';
export {
  batchCounts,
  type BatchStep,
  batchStepAfter,
  countedAs,
  noneCounted,
  projectPayoutBatches,
} from './batches.js';
export { projectPayoutApprovals } from './approvals.js';
export { type PayoutPause, payoutPauses, projectPayoutPauses } from './pauses.js';
export {
  findBatchesByReference,
  listUnsettledBatches,
  type PayoutBatchSums,
  payoutBatchSums,
  type UnsettledBatch,
} from './batch-query.js';
export { projectPayouts, railNameIn, stepAfter } from './project.js';
export {
  type ApprovedPayout,
  approvedPayouts,
  type OpenPayout,
  openPayouts,
  payoutsWithoutFloat,
  type PayoutStep,
  RecordedPayoutOrders,
} from './open-payouts.js';
export { payoutsToAskAbout } from './askable-payouts.js';
export { payoutBatchesToSettle, payoutsToSettle } from './payouts-to-settle.js';
export {
  listUnsettledPayouts,
  type UnsettledPayout,
  type WaitingPayouts,
  waitingPayouts,
} from './unsettled-payouts.js';
export { type RetainedNumber, retainedNumbers } from './retained-numbers.js';
export { ProjectedPayoutTerms } from './payout-terms.js';
export { ProjectedPaidNumbers } from './paid-numbers.js';
