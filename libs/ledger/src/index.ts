export { type FeeSchedule, feeFor } from './fee.js';
export {
  collectionLegs,
  feeOf,
  isBalanced,
  isReturned,
  type Leg,
  type LedgerAccount,
  suspenseLegs,
  suspenseReturnLegs,
  suspenseToWalletLegs,
} from './legs.js';
