export {
  absolute,
  type Finding,
  type FindingName,
  isOpen,
  Tallies,
  type Tally,
} from './finding.js';
export { judgeReceipt, judgeRest, maxApartMs, excludedFinding, WaysBack } from './reconcile.js';
export {
  type ReconciledBy,
  reconciliationEventTypes,
  type ReconciliationRecorded,
  reconciliationStream,
  type RecordedOpen,
} from './reconciliation.events.js';
export { ReconciliationModule } from './reconciliation.module.js';
export { RecordReconciliation } from './record/record-reconciliation.command.js';
export {
  type LedgerItem,
  type LineKind,
  type StatementLine,
  StatementReader,
  StatementRefused,
} from './statement.js';
