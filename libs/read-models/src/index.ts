export { type Balance, findBalance } from './balances/query.js';
export { type Credential, findCredential } from './credentials/query.js';
export { CachedMerchantDirectory } from './merchants/query.js';
export { dueRailQueries, type OpenRailQuery } from './rail-queries/query.js';
export { type TransactionItem, transactionFrom } from './transactions/item.js';
export {
  type DateField,
  findStreamsByRailReference,
  type ListedTransactions,
  listTransactions,
  type TransactionsPage,
} from './transactions/query.js';
export { applyBatch, projectedPrefixes, UnprojectableEvent } from './view-set/apply-batch.js';
export {
  ForeignLog,
  Projector,
  projectorLease,
  type ProjectorOptions,
} from './view-set/projector.js';
export { type ReadBound } from './view-set/read-bound.js';
export { ViewProgress } from './view-set/view-progress.js';
export { createViews, readCheckpoint, viewSchema } from './view-set/view-set.js';
export { openViews } from './view-set/open-views.js';
