export { projectAccountDays } from './account-days.js';
export {
  isPosted,
  listCorrections,
  type ListedCorrection,
  projectCorrections,
  overdueCorrections,
} from './corrections.js';
export { type ClosingBalance, type ClosingBalances, closingBalances } from './closing-balances.js';
export { findLinks, type LegLink, linkHeldEntries, StoredLinks } from './chain.js';
export { entriesOf, type LastLinks, type LedgerEntry, withLinks } from './ledger-entry.js';
export { balanceChanges, projectBalances, projectLedgerEntries } from './project.js';
export {
  projectLedgerSections,
  purposes,
  purposesUpTo,
  sectionBits,
  sectionOf,
  sumsUpTo,
} from './sections.js';
export { type Balance, BalanceReader, findBalance, findBalances } from './query.js';
export { findBalanceAsOf } from './as-of.js';
export {
  type AccountOwner,
  boundsOfDay,
  findAccountOwner,
  positionBefore,
  readableBefore,
} from './positions.js';
export { ProjectedCredits, projectReservations, unfinishedCorrections } from './reservations.js';
