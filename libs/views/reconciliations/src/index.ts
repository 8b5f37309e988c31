export { type Bearer, findBearers } from './bearers.js';
export {
  type PlainMatches,
  reconcileDay,
  type ReconciledDay,
  TooManyUnmatched,
} from './reconcile-day.js';
export { findAccountDay, type AccountDay } from './account-day.js';
export { projectReconciliations } from './project.js';
export { listReconciliations, type ListedReconciliation } from './query.js';
