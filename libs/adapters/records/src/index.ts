export { recordAuditCheck } from './audit-checks.js';
export { RecordedCaseRecords } from './case-files.js';
export { type CommandLineAct, noteAct, tellActs } from './command-line-acts.js';
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
  messageArrays,
  messageColumns,
  insertOfMessages,
  messageRows,
  messageValues,
  type OwnKeyRow,
  RecordedSealedMessages,
  type StoredMessage,
} from './evidence/sealed-messages.js';
export { SealedPhoneVault } from './phone-vault.js';
export { RecordedClaimedReferences } from './rail/claimed-references.js';
export { RecordedInbox, waitingInboxEntries } from './rail/inbox.js';
export { RecordedExtraQueries } from './rail/extra-queries.js';
export { RecordedQuerySchedule } from './rail/query-schedule.js';
export { countUnopenedCallbacks } from './rail/unopened-callbacks.js';
export {
  RecordedPendingForms,
  RecordedPersonNames,
  RecordedPersonSessions,
  RecordedSessions,
} from './portal-sessions.js';
export { merchantPageRecords } from './portal/merchant-records.js';
export { RecordedNotices } from './notices.js';
export { RecordedProposals } from './proposals.js';
export { RecordedReceiptClaims } from './receipt-claims.js';
export { RecordedReviewProposals } from './review-proposals.js';
export {
  noticeRecords,
  twoAdminRecords,
  deskRecords,
  portalRecords,
  railRecords,
  railWorkRecords,
  v3Records,
  webhookRecords,
} from './providers.js';
export { sealedRecordTables } from './sealed-tables.js';
export { RecordedUniqueNames } from './unique-names.js';
export {
  findV3Usage,
  listV3Calls,
  listV3CheckoutLinks,
  listV3CountedDays,
  readV3Readiness,
  RecordedV3Usage,
  type V3CountedUsage,
} from './v3-usage.js';
export { RecordedDeliveryQueue } from './webhooks/delivery-queue.js';
export {
  type FailingEndpoint,
  failingEndpoints,
  unattemptedSeconds,
  waitingDeliveries,
} from './webhooks/delivery-standing.js';
export { expireDeliveries } from './webhooks/expire-deliveries.js';
export {
  listWebhookDeliveries,
  listWebhookHealth,
  readWebhookDeliveries,
  listWebhookRequests,
  noteWebhookSample,
  resendWebhook,
  type WebhookAskedBy,
  type WebhookRequest,
} from './webhooks/webhook-log.js';
export { RecordedEndpointSecrets, RecordedWebhookSecrets } from './webhooks/webhook-secrets.js';
export {
  type ListedUnmatched,
  listUnmatchedPayments,
  waitingListedPayments,
} from './rail/taken-days.js';
