export { type ApiError, apiErrors } from './api-errors.js';
export { customerFailures } from './customer-failures.js';
export { type FailureCode, failureOf, failures } from './failures.js';
export { glossaryPage } from './page.js';
export {
  deliveryStates,
  itemTypes,
  modeNotes,
  modes,
  modesWithMoney,
  roles,
  statuses,
} from './labels.js';
export { retries, type Retry } from './retry.js';
export { reviewCauses } from './review-causes.js';
export { type Term, wordsIn } from './term.js';
export { knownChannels, onRail, railNameOf } from './rails.js';
