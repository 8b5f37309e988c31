export {
  isPosted,
  listCorrections,
  type ListedCorrection,
  projectCorrections,
} from './corrections.js';
export {
  balanceChanges,
  entriesOf,
  type LedgerEntry,
  projectBalances,
  projectLedgerEntries,
} from './project.js';
export { BalanceReader, findBalance } from './query.js';
export { ProjectedCredits, projectReservations, unfinishedCorrections } from './reservations.js';
