export { decodeCursor, encodeCursor } from './cursor.js';
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
export { fillTransactions } from './fill.js';
export {
  findStreamsByRailReference,
  findStreamsByReceipt,
  foldedItems,
  knownStreamsByAccountReference,
  knownStreamsByRailReference,
  projectTransactions,
  storedRows,
} from './project.js';
export { maxCountedItems, type RecentCount, recentCollections } from './recent.js';
export {
  beginsItem,
  type ItemEvent,
  projectTransaction,
  refundedCode,
  transactionFrom,
} from './item.js';
export { type ItemReceipt, readReceipt } from './receipt.js';
export { type ReceiptStanding, receiptStanding } from './receipt-standing.js';
export { listTransactionsAsOf } from './as-of.js';
export { receiptForms } from './receipt-forms.js';
export { findOwnItems, type FoundItems, type OwnSearch } from './own-items.js';
export {
  findStreamsByPhone,
  findStreamsByReference,
  itemSummaries,
  type ItemSummary,
  type ListedTransactions,
  listTransactions,
  logBefore,
} from './query.js';
export { type TransactionsPage, waitsForFloat } from './page-parts.js';
