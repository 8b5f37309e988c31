export {
  callbacksLeftForReview,
  type CaseFile,
  type InboxRow,
  type MadePayoutQueries,
  type MadeRailQuery,
  readCaseFile,
  readPayoutQueries,
} from './case-files.js';
export {
  insertClientSecret,
  RecordedCredentialSecrets,
  RecordedLinkSecrets,
} from './credential-secrets.js';
export { deleteExpired, deleteOld, type Retention } from './delete-expired.js';
export {
  deletePayoutNumbers,
  RecordedPayoutAllowances,
  RecordedPayoutBatchItems,
  RecordedPayoutPhones,
} from './payouts.js';
export { findStreamsOfNumber, RecordedEvidenceErasure } from './evidence/evidence-erasure.js';
export {
  digestOfMessages,
  findMessages,
  findOwnKeys,
  messageArrays,
  messageColumns,
  messageRows,
  messageValues,
  type OwnKeyRow,
  RecordedSealedMessages,
  type StoredMessage,
} from './evidence/sealed-messages.js';
export { SealedPhoneVault } from './phone-vault.js';
export { RecordedClaimedReferences } from './rail/claimed-references.js';
export { RecordedInbox, waitingInboxEntries } from './rail/inbox.js';
export { RecordedQuerySchedule } from './rail/query-schedule.js';
export { countUnopenedCallbacks } from './rail/unopened-callbacks.js';
export { RecordedReceiptClaims } from './receipt-claims.js';
export {
  findReviewProposals,
  RecordedReviewProposals,
  type StoredReviewProposal,
} from './review-proposals.js';
export { railRecords, railWorkRecords, v3Records, webhookRecords } from './providers.js';
export { sealedRecordTables } from './sealed-tables.js';
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
export {
  expireDeliveries,
  type FailingEndpoint,
  failingEndpoints,
  RecordedDeliveryQueue,
  waitingDeliveries,
} from './webhook-deliveries.js';
export {
  listWebhookDeliveries,
  listWebhookHealth,
  readWebhookDeliveries,
  resendWebhook,
  type WebhookAttempt,
  type WebhookDelivery,
  type WebhookHealth,
} from './webhook-log.js';
export { RecordedEndpointSecrets, RecordedWebhookSecrets } from './webhook-secrets.js';
export { type ListedUnmatched, listUnmatchedPayments } from './rail/taken-days.js';
