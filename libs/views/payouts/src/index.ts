export {
  countedAs,
  payoutBatchesToSettle,
  type PayoutBatchSums,
  payoutBatchSums,
  projectPayoutBatches,
} from './batches.js';
export { projectPayouts, stepAfter } from './project.js';
export {
  type KeptNumber,
  keptNumbers,
  listUnsettledPayouts,
  type OpenPayout,
  openPayouts,
  payoutsToAskAbout,
  payoutsToSettle,
  payoutsWithoutFloat,
  type PayoutStep,
  ProjectedPaidNumbers,
  ProjectedPayoutTerms,
  type UnsettledPayout,
  waitingPayouts,
} from './query.js';
