export { Backoff } from './backoff.js';
export { CallbackKeys } from './callback/callback-keys.js';
export { CallbackRecords } from './callback/callback-records.js';
export { DirectConfirmations } from './callback/direct-confirmations.js';
export { type RailMessage, RailMessages } from './callback/rail-messages.js';
export { ReportMetrics } from './report-metrics.js';
export { CollectionsClient } from './collections-client.js';
export { CheckoutClaims, type Claim } from './inbox/checkout-claims.js';
export { type CheckoutClaim, type Claimed, ClaimedCheckouts } from './inbox/claimed-checkouts.js';
export { UnverifiedCallbacks } from './inbox/unverified-callbacks.js';
export { LeasedEntries } from './inbox/leased-entries.js';
export { type DueInboxEntry, Inbox, type InboxEntry } from './inbox/inbox.js';
export { RailReferences } from './inbox/rail-references.js';
export { ReferenceView } from './inbox/reference-view.js';
export { QueriedAnswers } from './query/queried-answers.js';
export { QueryThrottle } from './query/query-throttle.js';
export { type DueQuery, type QueryAttempt, QuerySchedule } from './query/query-schedule.js';
export { QueryStep } from './query/query-step.js';
export { RailQuestions } from './query/rail-questions.js';
export { FinalStatusCheck } from './timeouts/final-status-check.js';
export { FinalQuery } from './timeouts/final-query.js';
export { TimeoutStep } from './timeouts/timeout-step.js';
export { OverdueCollections } from './timeouts/overdue-collections.js';
export { RailWorkOptions, type RailWorkSettings } from './rail-work-options.js';
export { lateAnswerMs } from './rail-work-options.js';
export { UnknownResults } from './unknown-results.js';
export { ProjectedOverdueCollections } from './timeouts/projected-overdue-collections.js';
export { ProjectedReferenceView } from './inbox/projected-reference-view.js';
export {
  type Arrival,
  openRailMessage,
  railMessageLabel,
  railMetadata,
  sealRailMessage,
} from './callback/seal-rail-message.js';
export { type ReceivedCallback } from './callback/callback-records.js';
export { openUnopened, sealUnopened, unopenedLabel } from './callback/unopened-payload.js';
export {
  type Opening,
  type UnopenedCallback,
  UnopenedCallbacks,
} from './callback/unopened-callbacks.js';
export { within } from './within.js';
export { type Callback } from './callback/callback.js';
export { type OpenedCallback, type Try } from './inbox/opened-callback.js';
export { concurrently } from './concurrently.js';
export { maxAgeMs, nextTryAfterOutageMs, nextTryInMs } from './inbox/inbox-schedule.js';
