export {
  type AccountStatement,
  readStatement,
  type StatementAccount,
  type StatementEntry,
  statementEntries,
  type StatementRange,
} from './statement.js';
