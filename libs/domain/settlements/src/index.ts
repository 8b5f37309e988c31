export { AcceptRailDifference, type AcceptRefusal } from './balance/accept-difference.command.js';
export { CompareRailBalance } from './balance/compare-balance.command.js';
export {
  type BalanceFigures,
  compareBalance,
  isOpenOutcome,
} from './balance/compare-balance.decide.js';
export {
  type BalanceOutcome,
  type DifferenceCause,
  differenceCauses,
  isRailBalanceStream,
  type RailAccountBalance,
  type RailAccounts,
  type RailBalanceAccepted,
  type RailBalanceCompared,
  type RailBalanceEvent,
  railBalanceEventTypes,
  railBalanceStream,
} from './balance/rail-balance.events.js';
export {
  type BankSettlementPosted,
  isSettlementStream,
  settlementEventTypes,
  settlementStream,
  type SweepSource,
} from './bank-settlement.events.js';
export {
  PostBankSettlement,
  type PostRefusal,
  type Sweep,
} from './post/post-bank-settlement.command.js';
export { SettlementsModule } from './settlements.module.js';
