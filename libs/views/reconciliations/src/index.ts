export { type Bearer, findBearers, type FoundBearers } from './bearers.js';
export { explainingCollections, type UnexplainedPayment } from './explaining.js';
export {
  type PlainMatches,
  type Progress,
  type ReconciledDay,
  TooManyUnmatched,
} from './reconcile-day.js';
export { type Comparison, compareWithFiles, recordOf, type Report, timeOf } from './report.js';
export { accountRails, type AccountRail } from './account-rails.js';
export { findAccountDay, type AccountDay } from './account-day.js';
export { type ProposedCorrections, type WaitingCorrection } from './proposed.js';
export { type DifferenceNote, differenceNotes } from './notes.js';
export { projectReconciliations } from './project.js';
export { settledSince } from './settled-since.js';
export { listReconciliations, type ListedReconciliation } from './query.js';
