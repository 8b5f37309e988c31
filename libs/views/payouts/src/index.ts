export { projectPayouts } from './project.js';
export {
  type OpenPayout,
  openPayouts,
  payoutsToSettle,
  type PayoutStep,
  ProjectedPaidNumbers,
  ProjectedPayoutTerms,
} from './query.js';
