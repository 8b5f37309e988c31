export { AllowHosts } from './allow-hosts/allow-hosts.command.js';
export { SetAccountChannels } from './set-channels/set-channels.command.js';
export { allowedUrl, canonicalHost, type UrlRefusal } from './allow-hosts/allowed-url.js';
export {
  bindHolder,
  type BindHolderRefusal,
  BindHolderSubject,
  type HolderBinding,
} from './bind-holder/bind-holder.command.js';
export {
  IssueCheckoutKey,
  type IssuedCheckoutKey,
} from './issue-checkout-key/issue-checkout-key.command.js';
export {
  type CredentialDetails,
  issueCredential,
  IssueCredentialSubject,
  type InspectedKey,
  type IssueCredentialRefusal,
  type IssuedCredential,
} from './issue-credential/issue-credential.command.js';
export {
  IssueV3Credential,
  type IssuedV3Credential,
  type IssueV3CredentialRefusal,
} from './issue-v3-credential/issue-v3-credential.command.js';
export {
  type Destination,
  type DestinationsSet,
  type Ending,
  type HolderBound,
  type LimitsSet,
  type MerchantEvent,
  merchantEventTypes,
  merchantIdOf,
  merchantStream,
  type PauseEvent,
  pauseEventTypes,
  type PayoutBounds,
  type WebhookEndpointSet,
  type WebhookKind,
  webhookKinds,
  firstChannel,
} from './merchant.events.js';
export {
  type Account,
  accountNoPattern,
  type Binding,
  type Merchant,
  merchantDecider,
  type PauseCount,
  pausesAfter,
  type RegisteredMerchant,
} from './merchant.js';
export {
  CredentialRevocationModule,
  MerchantsModule,
  WebhookEndpointsModule,
} from './merchants.module.js';
export { OpenAccount } from './open-account/open-account.command.js';
export {
  AccountNumbers,
  CredentialSecrets,
  type IssuedNameKind,
  MerchantDirectory,
  type MerchantMode,
  type UniqueNameKind,
  UniqueNames,
  V3Admission,
  type V3AdmissionRefusal,
  type WebhookEndpointKey,
  WebhookSecrets,
} from './ports.js';
export {
  ianaTimeZone,
  postgresTimeZone,
  RegisterMerchant,
} from './register-merchant/register-merchant.command.js';
export { RevokeCredential } from './revoke-credential/revoke-credential.command.js';
export { SetCheckoutStrict } from './set-checkout-strict/set-checkout-strict.command.js';
export { setExpiry, SetExpirySubject } from './set-expiry/set-expiry.command.js';
export { areWithin } from './set-ip-list/ip-ranges.js';
export {
  type IpListDetails,
  setIpList,
  SetIpListSubject,
} from './set-ip-list/set-ip-list.command.js';
export {
  setFeeSchedule,
  SetFeeScheduleSubject,
} from './set-fee-schedule/set-fee-schedule.command.js';
export {
  setDestinations,
  SetDestinationsSubject,
} from './set-payout-terms/set-destinations.command.js';
export { setLimits, SetLimitsSubject } from './set-payout-terms/set-limits.command.js';
export {
  SetWebhookEndpoint,
  type WebhookChange,
  type WebhookRefusal,
} from './set-webhook-endpoint/set-webhook-endpoint.command.js';
