export {
  type ClearingAsOf,
  clearingAsOf,
  type ListedSettlement,
  newestSettlements,
} from './clearing.js';
export { projectSettlements } from './project.js';
