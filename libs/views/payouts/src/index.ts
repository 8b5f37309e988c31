export { projectPayouts } from './project.js';
export {
  type OpenPayout,
  openPayouts,
  payoutsToAskAbout,
  payoutsToSettle,
  type PayoutStep,
  ProjectedPaidNumbers,
  ProjectedPayoutTerms,
} from './query.js';
