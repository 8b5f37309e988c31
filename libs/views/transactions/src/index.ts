export { findStreamsByRailReference, findStreamsByReceipt } from './identifiers.js';
export {
  projectTransaction,
  refundedCode,
  transactionFrom,
  type TransactionItem,
  type TransactionRow,
} from './item.js';
export { logBefore } from './log-window.js';
export { type TransactionsPage } from './page-statement.js';
export { projectTransactions } from './project.js';
export { findStreamsByReference, listTransactions } from './query.js';
