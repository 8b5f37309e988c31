export { type FeeSchedule, feeFor } from './fee.js';
export { collectionLegs, isBalanced, type Leg, type LedgerAccount, suspenseLegs } from './legs.js';
