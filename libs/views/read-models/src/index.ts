export { balanceChanges } from './balances/changes.js';
export {
  type AccountOfMerchant,
  type Balance,
  BalanceReader,
  findBalance,
} from './balances/query.js';
export { type Credential, findCredential } from './credentials/query.js';
export {
  type CorrectionsFilter,
  listCorrections,
  type ListedCorrection,
} from './corrections/query.js';
export { entriesOf, type LedgerEntry } from './ledger-entries/entries.js';
export {
  type CheckoutKeyRecord,
  type V3CredentialRecord,
} from './credentials/named-credentials.js';
export { CachedMerchants, type CheckoutKey, type LinkKey } from './merchants/cached-merchants.js';
export {
  findMerchant,
  listCredentials,
  type ListedCredential,
  listMerchants,
  type MerchantProfile,
} from './merchants/profile.js';
export { CachedMerchantDirectory } from './merchants/query.js';
export { awaitsRail, mayStillBePaid } from './rail-queries/awaits-rail.js';
export { listPending, type PendingCollection } from './rail-queries/pending.js';
export { logBefore } from './transactions/log-window.js';
export { viewStanding, type ViewStanding } from './view-set/view-standing.js';
export { type Stopped } from './quarantine/apply-isolated.js';
export { quarantines, type Quarantine, requestRetry } from './quarantine/quarantines.js';
export {
  dueRailQueries,
  type RailQueriesEdge,
  type OpenRailQuery,
  type OverdueCollection,
  overdueCollections,
  type WaitingCollections,
  waitingCollections,
} from './rail-queries/query.js';
export { unflaggedReceiptConflicts } from './receipts/query.js';
export { ProjectedCredits, unfinishedCorrections } from './reservations/query.js';
export {
  listReviews,
  type OpenReview,
  type ReviewCause,
  type ReviewsFilter,
} from './reviews/query.js';
export { ReceiptsInViews } from './reviews/receipts-in-views.js';
export {
  projectTransaction,
  type TransactionItem,
  transactionFrom,
  type TransactionRow,
} from './transactions/item.js';
export { findStreamsByRailReference, findStreamsByReceipt } from './transactions/identifiers.js';
export { type DateField, type TransactionsPage } from './transactions/page-statement.js';
export {
  findStreamsByReference,
  type ListedTransactions,
  listTransactions,
} from './transactions/query.js';
export {
  findV3Standing,
  isV3Retired,
  listCollectionOrigins,
  listMovingMerchants,
  type MovingMerchant,
  type OriginDay,
  type V3Standing,
} from './v3/query.js';
export { applyBatch, projectedPrefixes, UnprojectableEvent } from './view-set/apply-batch.js';
export { ForeignLog, Projector, type ProjectorOptions } from './view-set/projector.js';
export { type ReadBound } from './view-set/read-bound.js';
export { ViewProgress } from './view-set/view-progress.js';
export { createViews, readCheckpoint, viewSchema } from './view-set/view-set.js';
export { watchViews } from './view-set/watch-views.js';
export { openReadViews, openViews } from './view-set/open-views.js';
export { projectorLease, SqlViews } from './view-set/sql-views.js';
export {
  type Batch,
  type Checkpoint,
  CheckpointMoved,
  type Leadership,
  Views,
} from './view-set/views.js';
export { type Difference } from './verify/difference.js';
export {
  type VerifyOptions,
  type VerifyProgress,
  type VerifyReport,
  verifyViews,
} from './verify/verify-views.js';
