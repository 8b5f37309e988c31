export {
  IssueCredential,
  type InspectedKey,
  type IssueCredentialRefusal,
  type IssuedCredential,
} from './issue-credential/issue-credential.command.js';
export { type MerchantEvent, merchantEventTypes, merchantStream } from './merchant.events.js';
export { type Account, merchantDecider } from './merchant.js';
export { MerchantsModule } from './merchants.module.js';
export { OpenAccount } from './open-account/open-account.command.js';
export { CredentialSecrets, MerchantDirectory, type UniqueNameKind, UniqueNames } from './ports.js';
export { RegisterMerchant } from './register-merchant/register-merchant.command.js';
export { RevokeCredential } from './revoke-credential/revoke-credential.command.js';
export { SetFeeSchedule } from './set-fee-schedule/set-fee-schedule.command.js';
