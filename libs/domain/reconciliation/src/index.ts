export { isUnowned, withCandidates } from './candidates.js';
export {
  absolute,
  type Finding,
  type FindingName,
  isOpen,
  Tallies,
  type Tally,
} from './finding.js';
export { judgeReceipt } from './judge-receipt.js';
export { judgeRest, maxApartMs } from './judge-rest.js';
export { excludedFinding } from './line-findings.js';
export { WaysBack } from './ways-back.js';
export {
  channelOf,
  type DifferencesNoted,
  type ReconciledBy,
  type ReconciliationEvent,
  reconciliationEventTypes,
  type ReconciliationRecorded,
  reconciliationStream,
  type RecordedOpen,
} from './reconciliation.events.js';
export { ReconciliationModule } from './reconciliation.module.js';
export { NoteDifferences } from './record/note-differences.command.js';
export { RecordReconciliation } from './record/record-reconciliation.command.js';
export { type HeldSince, isSettledSince } from './settled-since.js';
export {
  isHere,
  type LedgerItem,
  type LineKind,
  type StatementLine,
  StatementReader,
  StatementReaders,
  StatementRefused,
} from './statement.js';
