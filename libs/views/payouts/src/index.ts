export { countedAs, projectPayoutBatches } from './batches.js';
export {
  findBatchesByReference,
  listUnsettledBatches,
  payoutBatchesToSettle,
  type PayoutBatchSums,
  payoutBatchSums,
  type UnsettledBatch,
} from './batch-query.js';
export { projectPayouts, stepAfter } from './project.js';
export {
  type ApprovedPayout,
  approvedPayouts,
  type RetainedNumber,
  retainedNumbers,
  listUnsettledPayouts,
  type OpenPayout,
  openPayouts,
  payoutsToAskAbout,
  payoutsToSettle,
  payoutsWithoutFloat,
  type PayoutStep,
  ProjectedPaidNumbers,
  ProjectedPayoutTerms,
  RecordedPayoutOrders,
  type UnsettledPayout,
  type WaitingPayouts,
  waitingPayouts,
} from './query.js';
