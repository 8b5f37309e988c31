export {
  Database,
  type DatabaseOptions,
  plainIdentifier,
  type Queryable,
  ReadDatabase,
  type TransactionOptions,
} from './database.js';
export { type Statement } from './statement-name.js';
export { isRefusedData, isUniqueViolation } from './failures.js';
export { type Fence, holdsFence, Lease, type LeaseOptions } from './lease.js';
export { type Listening, type NotificationHandler } from './listen.js';
export { MicroBatcher } from './micro-batcher.js';
export { migrateRecords, MigrationError, packageDirectory } from './migrations.js';
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
} from './records/callback-inbox.js';
export {
  callbacksLeftForReview,
  type CaseFile,
  type InboxRow,
  type MadeRailQuery,
  readCaseFile,
} from './records/case-files.js';
export {
  type CheckoutClaim,
  claimCheckout,
  deleteOldCheckoutClaims,
  releaseCheckout,
  takeOverCheckout,
} from './records/confirmed-checkouts.js';
export {
  type AccessToken,
  announceCredential,
  type ClientSecret,
  credentialsChannel,
  deleteExpiredTokens,
  findAccessTokens,
  findClientSecrets,
  insertAccessToken,
  insertClientSecret,
  revokeCredentialRecords,
  setCredentialRanges,
} from './records/credentials.js';
export {
  abandonClaim,
  type Claim,
  type ClaimOutcome,
  deleteOldClaims,
  IdempotencyClaims,
  insertClaims,
  type NewClaim,
  takeOverClaim,
} from './records/idempotency-claims.js';
export {
  deleteOldRailMessages,
  findRailMessages,
  type RailMessage,
  RailMessageWriter,
  type StoredRailMessage,
} from './records/rail-messages.js';
export {
  concludeRailQueryAttempt,
  deleteOldRailQueryAttempts,
  giveBackRailQueryAttempt,
  lastRailQueryOutcome,
  leaseRailQueryAttempt,
  railQueryLease,
  type RailQueryAttempt,
} from './records/rail-query-attempts.js';

export {
  findReviewProposals,
  openReviewProposal,
  type StoredReviewProposal,
} from './records/review-proposals.js';
export {
  countUnopenedCallbacks,
  deleteOldUnopenedCallbacks,
  insertUnopenedCallback,
  moveUnopenedCallbacks,
  type Opening,
  type UnopenedCallback,
} from './records/unopened-callbacks.js';
export { findNameOwner, reserveName, type UniqueNameKind } from './records/unique-names.js';
export { announceV3Retirement, v3RetirementChannel } from './records/v3-announcements.js';
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
} from './records/v3-calls.js';
export { countByKey, type SealedTable } from './records/sealed-tables.js';
export { listTokenKeys } from './records/data-keys.js';
export { DataKeys, loadDataKeys } from './ports/data-keys.js';
export { ownSealedTables, type RewrapResult, rewrapTable } from './ports/rewrap.js';
export { keptKey } from './ports/kept-key.js';
export { checkMasterKey, ForeignMasterKey } from './ports/master-key-check.js';
export { LinkSecrets } from './ports/link-secrets.js';
export { RecordedCredentialSecrets } from './ports/recorded-credential-secrets.js';
export { RecordedReceiptClaims } from './ports/recorded-receipt-claims.js';
export { RecordedReviewProposals } from './ports/recorded-review-proposals.js';
export { RecordedUniqueNames } from './ports/recorded-unique-names.js';
export { SealedPhoneVault } from './ports/sealed-phone-vault.js';
