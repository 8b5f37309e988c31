export { type Days, readStatementOfDays, type StatementOfDays } from './of-days.js';
export {
  type AccountStatement,
  type DaySums,
  readDaySums,
  type StatementAccount,
  type StatementEntry,
  statementEntries,
  type StatementRange,
} from './statement.js';
