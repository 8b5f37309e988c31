export {
  hasTrait,
  itemOf,
  transactionColumns,
  type TransactionItem,
  transactionItem,
  type TransactionRow,
  transactionStatuses,
  transactionTypes,
} from './fields.js';
export {
  findStreamsByRailReference,
  findStreamsByReceipt,
  projectTransactions,
  storedRows,
} from './project.js';
export {
  beginsItem,
  type ItemEvent,
  projectTransaction,
  refundedCode,
  transactionFrom,
} from './item.js';
export { listTransactionsAsOf } from './as-of.js';
export {
  findStreamsByPhone,
  findStreamsByReference,
  listTransactions,
  logBefore,
  type TransactionsPage,
} from './query.js';
