export { findStreamsByRailReference, findStreamsByReceipt } from './identifiers.js';
export {
  hasTrait,
  transactionColumns,
  transactionItem,
  type TransactionItem,
  type TransactionRow,
  transactionStatuses,
  transactionTypes,
} from './fields.js';
export { projectTransaction, refundedCode, transactionFrom } from './item.js';
export { logBefore } from './log-window.js';
export { type TransactionsPage } from './page-statement.js';
export { projectTransactions } from './project.js';
export { findStreamsByReference, listTransactions } from './query.js';
