export {
  hasTrait,
  transactionColumns,
  type TransactionItem,
  transactionItem,
  type TransactionRow,
  transactionStatuses,
  transactionTypes,
} from './fields.js';
export { findStreamsByRailReference, findStreamsByReceipt } from './identifiers.js';
export { projectTransaction, refundedCode, transactionFrom } from './item.js';
export { type TransactionsPage } from './page-statement.js';
export { projectTransactions } from './project.js';
export { findStreamsByReference, listTransactions, logBefore } from './query.js';
