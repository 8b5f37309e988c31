export {
  callbacksLeftForReview,
  type CaseFile,
  type InboxRow,
  type MadeRailQuery,
  readCaseFile,
} from './case-files.js';
export {
  insertClientSecret,
  RecordedCredentialSecrets,
  RecordedLinkSecrets,
  sealedLinkSecrets,
} from './credential-secrets.js';
export { deleteExpired, type Retention } from './delete-expired.js';
export { RecordedIdempotencyClaims } from './idempotency-claims.js';
export { SealedPhoneVault } from './phone-vault.js';
export {
  CallbackInbox,
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
  type CheckoutClaim,
  claimCheckout,
  releaseCheckout,
  takeOverCheckout,
} from './rail/claimed-checkouts.js';
export {
  findRailMessages,
  type RailMessage,
  RailMessageWriter,
  type StoredRailMessage,
} from './rail/rail-messages.js';
export {
  concludeRailQueryAttempt,
  giveBackRailQueryAttempt,
  lastRailQueryOutcome,
  leaseRailQueryAttempt,
  type RailQueryAttempt,
} from './rail/query-schedule.js';
export {
  countUnopenedCallbacks,
  insertUnopenedCallback,
  moveUnopenedCallbacks,
  type Opening,
  type UnopenedCallback,
} from './rail/unopened-callbacks.js';
export { RecordedReceiptClaims } from './receipt-claims.js';
export {
  findReviewProposals,
  RecordedReviewProposals,
  type StoredReviewProposal,
} from './review-proposals.js';
export { v3Records, v4Records } from './providers.js';
export { RecordedUniqueNames } from './unique-names.js';
export {
  findV3Usage,
  listV3Calls,
  listV3CheckoutLinks,
  listV3CountedDays,
  listV3PhoneReferences,
  RecordedV3Usage,
  type V3CountedUsage,
} from './v3-usage.js';
export { RecordedAccessTokens, RecordedClientSecrets } from './v4-credentials.js';
