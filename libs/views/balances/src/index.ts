export { balanceChanges } from './changes.js';
export { isPosted, projectCorrections } from './corrections/project.js';
export { listCorrections, type ListedCorrection } from './corrections/query.js';
export { entriesOf, type LedgerEntry } from './ledger-entries/entries.js';
export { projectLedgerEntries } from './ledger-entries/project.js';
export { projectBalances } from './project.js';
export { BalanceReader, findBalance } from './query.js';
export { projectReservations } from './reservations/project.js';
export { ProjectedCredits, unfinishedCorrections } from './reservations/query.js';
