export { type FeeSchedule, feeFor, noFee } from './fee.js';
export {
  accountOf,
  collectionLegs,
  isBalanced,
  type Leg,
  type LedgerAccount,
  suspenseLegs,
} from './legs.js';
