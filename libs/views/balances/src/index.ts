export { isPosted, projectCorrections } from './corrections/project.js';
export { listCorrections, type ListedCorrection } from './corrections/query.js';
export { entriesOf, type LedgerEntry, projectLedgerEntries } from './ledger-entries.js';
export { balanceChanges, projectBalances } from './project.js';
export { BalanceReader, findBalance } from './query.js';
export { ProjectedCredits, projectReservations, unfinishedCorrections } from './reservations.js';
