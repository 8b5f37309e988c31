export {
  CallbackInbox,
  deleteOldInboxEntries,
  type DueInboxEntry,
  giveBackInboxEntry,
  type InboxEntry,
  insertInboxEntries,
  leaseDueInboxEntries,
  markInboxApplied,
  rescheduleInboxEntry,
  waitingInboxEntries,
} from './rail/inbox.js';
export {
  callbacksLeftForReview,
  type CaseFile,
  type InboxRow,
  type MadeRailQuery,
  readCaseFile,
} from './case-files.js';
export {
  type CheckoutClaim,
  claimCheckout,
  deleteOldCheckoutClaims,
  releaseCheckout,
  takeOverCheckout,
} from './rail/claimed-checkouts.js';
export {
  type AccessToken,
  type ClientSecret,
  deleteExpiredTokens,
  findAccessTokens,
  findClientSecrets,
  insertAccessToken,
  insertClientSecret,
  revokeCredentialRecords,
  setCredentialRanges,
} from './credentials/access-tokens.js';
export {
  abandonClaim,
  type Claim,
  type ClaimOutcome,
  deleteOldClaims,
  IdempotencyClaims,
  insertClaims,
  type NewClaim,
  takeOverClaim,
} from './idempotency-claims.js';
export {
  deleteOldRailMessages,
  findRailMessages,
  type RailMessage,
  RailMessageWriter,
  type StoredRailMessage,
} from './rail/rail-messages.js';
export {
  concludeRailQueryAttempt,
  deleteOldRailQueryAttempts,
  giveBackRailQueryAttempt,
  lastRailQueryOutcome,
  leaseRailQueryAttempt,
  type RailQueryAttempt,
} from './rail/query-schedule.js';
export {
  findReviewProposals,
  openReviewProposal,
  type StoredReviewProposal,
} from './review-proposals.js';
export {
  countUnopenedCallbacks,
  deleteOldUnopenedCallbacks,
  insertUnopenedCallback,
  moveUnopenedCallbacks,
  type Opening,
  type UnopenedCallback,
} from './rail/unopened-callbacks.js';
export { findNameOwner, reserveName, type UniqueNameKind } from './unique-names.js';
export {
  addV3Counts,
  findV3Usage,
  listV3Calls,
  listV3CheckoutLinks,
  listV3CountedDays,
  listV3PhoneReferences,
  deleteOldV3Counts,
  unattributedV3Caller,
  unknownV3Caller,
  type V3Calls,
  type V3CheckoutLinks,
  type V3CountedUsage,
  type V3Counting,
  type V3Counts,
  type V3PhoneReferences,
} from './v3-usage.js';
export { countByKey, type SealedTable } from './keys/sealed-tables.js';
export { listTokenKeys } from './keys/data-key-records.js';
export { DataKeys, loadDataKeys } from './keys/data-keys.js';
export { ownSealedTables, type RewrapResult, rewrapTable } from './keys/rewrap.js';
export { keptKey } from './keys/kept-key.js';
export { checkMasterKey, ForeignMasterKey } from './keys/master-key-check.js';
export { RecordedLinkSecrets } from './credentials/link-secrets.js';
export { RecordedCredentialSecrets } from './credentials/credential-secrets.js';
export { RecordedReceiptClaims } from './receipt-claims.js';
export { RecordedReviewProposals } from './recorded-review-proposals.js';
export { RecordedUniqueNames } from './recorded-unique-names.js';
export { SealedPhoneVault } from './phone-vault.js';
