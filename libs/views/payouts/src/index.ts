export {
  payoutBatchesToSettle,
  type PayoutBatchSums,
  payoutBatchSums,
  projectPayoutBatches,
} from './batches.js';
export { projectPayouts, stepAfter } from './project.js';
export {
  type KeptNumber,
  keptNumbers,
  type OpenPayout,
  openPayouts,
  payoutsToAskAbout,
  payoutsToSettle,
  payoutsWithoutFloat,
  type PayoutStep,
  ProjectedPaidNumbers,
  ProjectedPayoutTerms,
} from './query.js';
