export {
  deletePayoutNumbers,
  RecordedPayoutAllowances,
  RecordedPayoutBatchItems,
  RecordedPayoutPhones,
  sealedPayoutBatches,
  sealedPayoutPhones,
} from './payouts.js';
export { SealedPhoneVault } from './phone-vault.js';
